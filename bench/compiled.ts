import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../node/root';

/**
 * Runs a part as the commands are compiled. tsx gives each function its name when it is made, which takes longer than some functions.
 * @param file the module beside this one that exports the part.
 * @param name of the part's function.
 */
export async function runCompiled(file: string, name: string, users?: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  const outfile = join(folder, 'part.mjs');
  try {
    await build({
      stdin: {
        contents: `import { ${name} } from './${file}';\nawait ${name}(${users ?? ''});`,
        resolveDir: join(root, 'bench'),
      },
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
    const { status } = spawnSync(process.execPath, [outfile], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`the part ${file} failed`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
