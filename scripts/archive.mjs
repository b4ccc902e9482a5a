import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureCommands } from './build.mjs';
import { CallError, exitWith, root } from './console.mjs';

const PROGRAM = `import { main } from './dist/node/main.mjs';
process.exitCode = await main(process.argv.slice(2));
`;

/**
 * The compiled commands as a zip archive, for machines that install nothing: they need only Node, and run `node cointoss.mjs …`. It has what
 * `simulate`, `estimate`, `merge`, `shard` and shards of `compare` need, and no collector and no browser.
 */
function commandArchive(zipFolder) {
  const folder = mkdtempSync(path.join(tmpdir(), 'cointoss-archive-'));
  try {
    for (const part of [
      'package.json',
      'LICENSE',
      'dist/node',
      'node_modules/piscina/dist',
      'node_modules/piscina/package.json',
    ])
      cpSync(path.join(root, part), path.join(folder, part), { recursive: true, filter: isOfCommands });
    writeFileSync(path.join(folder, 'cointoss.mjs'), PROGRAM);
    return zipFolder(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether it is no part of the collector's databases. */
const isOfCommands = (file) =>
  !/[/\\](empty-pglite-[^/\\]*\.tar\.gz|demo-month\.(json\.gz|mjs)|pglite-worker\.mjs)$/.test(file);

/** `npm run archive`, with the name of the file if it is not to be dist/cointoss-commands.zip. */
async function main() {
  await ensureCommands();
  const { zipFolder } = await import('./zip.mjs');
  const file = process.argv[2] ?? 'dist/cointoss-commands.zip';
  const zip = commandArchive(zipFolder);
  try {
    // Removes a link, and follows none.
    rmSync(path.resolve(root, file), { force: true });
    writeFileSync(path.resolve(root, file), zip, { flag: 'wx' });
  } catch (error) {
    throw new CallError(`archive: ${file}: cannot be written: ${error.message}`);
  }
  return 0;
}

void exitWith(main);
