import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transformSync } from 'esbuild';
import { root } from '../../../node/root';

test('the project’s root folder is an error where no folder above has a package.json', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-root-'));
  const file = path.join(folder, 'root.cjs');
  const source = readFileSync(path.join(root, 'node/root.ts'), 'utf8');
  writeFileSync(file, transformSync(source, { loader: 'ts', format: 'cjs' }).code);
  try {
    const { stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 300_000 });
    expect(stderr).toContain(`${folder}: no folder above has a package.json`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
