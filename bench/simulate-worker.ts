import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../node/root';

/** For a run of all parts. */
const USERS = 2_000;

/**
 * Processor time of what a thread of `simulate` does with the parts of a log, as a multiple of reading and parsing the same lines. The program is
 * compiled first, because tsx gives each function its name when it is made, which takes longer than some of them.
 */
export async function benchSimulateWorker(users = USERS): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  const outfile = join(folder, 'program.mjs');
  try {
    await build({
      entryPoints: [join(root, 'bench/simulate-worker-program.ts')],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
      mainFields: ['module', 'main'],
      define: { __dirname: JSON.stringify(root) },
      banner: {
        js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
      },
      logLevel: 'warning',
    });
    const { status } = spawnSync(process.execPath, [outfile, String(users)], {
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error('the program failed');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
