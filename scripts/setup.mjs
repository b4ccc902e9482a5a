/**
 * Installs what a bare clone lacks; uses Node built-ins only, because it runs before packages are installed. `node scripts/setup.mjs
 * chrome|firefox` prints that browser's path on stdout, and everything else on stderr.
 */
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ensureBrowser } from './browsers.mjs';
import { exitWith } from './console.mjs';
import { ensurePackages } from './packages.mjs';

export { ensureBrowser, ensurePackages };

async function main([browser]) {
  if (browser !== 'chrome' && browser !== 'firefox') {
    process.stderr.write('usage: node scripts/setup.mjs chrome|firefox\n');
    return 2;
  }
  await ensurePackages();
  console.log(await ensureBrowser(browser));
  return 0;
}

const isProgram = realpathSync(process.argv[1] ?? '.') === fileURLToPath(import.meta.url);
if (isProgram) void exitWith(() => main(process.argv.slice(2)));
