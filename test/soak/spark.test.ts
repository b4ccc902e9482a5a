import { spawnSync } from 'node:child_process';
import { root } from '../../node/root';

jest.setTimeout(7_200_000);

/** A million events. */
const USERS = 90_000;
const PROGRAM = `const { spark } = await import('./scripts/spark.mjs');
process.exitCode = (await spark(${USERS}, 200, 'classic', 'connect')).code;`;

test('on a Spark cluster, a million events become the same reports as in one process', () => {
  const { status } = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    cwd: root,
    stdio: 'inherit',
  });
  expect(status).toBe(0);
});
