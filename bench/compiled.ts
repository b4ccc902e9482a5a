import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../node/root';

/** As the commands are compiled. tsx gives each function its name when it is made, which takes longer than some functions. */
export async function compileProgram(contents: string, outfile: string): Promise<void> {
  await build({
    stdin: { contents, resolveDir: join(root, 'bench'), loader: 'ts' },
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
}

/**
 * Runs a part as a compiled program.
 * @param file the module beside this one that exports the part.
 * @param name of the part's function.
 */
export async function runCompiled(
  file: string,
  name: string,
  users?: number,
  words: readonly string[] = [],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cointoss-bench-'));
  const outfile = join(folder, 'part.mjs');
  try {
    await compileProgram(
      `import { ${name} } from './${file}';\nawait ${name}(${users}, ${JSON.stringify(words)});`,
      outfile,
    );
    const { status } = spawnSync(process.execPath, [outfile], { stdio: 'inherit' });
    if (status !== 0) throw new Error(`the part ${file} failed`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
