import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root } from '../../../node/root';

test('without Python the set-up of the tests goes on, and says what is left out', () => {
  // A copy, because this folder may have what would be installed.
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-oracles-'));
  for (const name of ['scripts', 'test/oracles'])
    cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  const program = `
    const { ensureOracles } = await import(${JSON.stringify(path.join(folder, 'scripts/oracles.mjs'))});
    await ensureOracles('accounting');
    console.log(process.env.COINTOSS_ORACLES ?? 'none');`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, COINTOSS_ORACLES: undefined, PATH: folder },
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  expect({ status, stdout, stderr }).toEqual({
    status: 0,
    stdout: 'none\n',
    stderr:
      'cointoss: tests do not compare the lab with Python libraries: there is no Python 3.11 or newer with venv and pip\n',
  });
});
