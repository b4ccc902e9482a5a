import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { CallError, exitWith, root, run, SetupError } from './console.mjs';
import { ensurePackages } from './packages.mjs';

/** The packages for the stores and the browsers. */
const packages = [
  { browser: 'chrome', suffix: 'chrome.zip' },
  { browser: 'firefox', suffix: 'firefox.xpi' },
];

/**
 * Builds the extension for production, packs it into dist/packages, and prints SHA-256 sums in the format of sha256sum. With `--url`, where
 * you will serve it, also signs a crx with the key in `--key` (cointoss.pem), writes its update.xml, and prints Chrome's policy.
 */
async function main() {
  const { url, key } = options();
  await ensurePackages();
  const { zipFolder } = await import('./zip.mjs');
  const version = agreedVersion();
  const webpack = path.join(root, 'node_modules/webpack/bin/webpack.js');
  // Always builds: dist/ may hold a developer's build with source maps.
  const code = await run(process.execPath, [webpack, '--mode', 'production'], { stdio: ['ignore', 2, 2] });
  if (code !== 0) throw new SetupError(`the build failed with exit code ${code}; its messages are above.`);
  const folder = path.join('dist', 'packages');
  rmSync(path.join(root, folder), { recursive: true, force: true });
  mkdirSync(path.join(root, folder), { recursive: true });
  for (const { browser, suffix } of packages) {
    const file = path.join(folder, `cointoss-${version}-${suffix}`);
    const zip = zipFolder(path.join(root, 'dist', browser));
    writeFileSync(path.join(root, file), zip, { flag: 'wx' });
    process.stdout.write(`${createHash('sha256').update(zip).digest('hex')}  ${file}\n`);
  }
  if (url === undefined) return 0;
  const { signCrx } = await import('./crx.mjs');
  const id = await signCrx({
    zip: path.join(root, folder, `cointoss-${version}-chrome.zip`),
    key,
    url,
    version,
    oldestChrome: JSON.parse(readFileSync(path.join(root, 'manifest.json'), 'utf8')).minimum_chrome_version,
  });
  process.stdout.write(`the extension's id: ${id}\n`);
  process.stdout.write(
    `${JSON.stringify({ ExtensionInstallForcelist: [`${id};${new URL('update.xml', url).href}`] })}\n`,
  );
  return 0;
}

function options() {
  const known = { url: { type: 'string' }, key: { type: 'string', default: 'cointoss.pem' } };
  try {
    const { url, key } = parseArgs({ options: known }).values;
    if (url !== undefined && !/^https?:\/\/.*\/$/.test(url))
      throw new Error(`--url: must be a URL that ends in "/", was "${url}"`);
    return { url, key: path.resolve(key) };
  } catch (error) {
    throw new CallError(`package: ${error.message}`);
  }
}

/** The version in manifest.json and package.json, which must agree. */
function agreedVersion() {
  const [manifest, project] = ['manifest.json', 'package.json'].map(
    (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8')).version,
  );
  if (manifest !== project)
    throw new SetupError(
      `version: is ${manifest} in manifest.json and ${project} in package.json; they must be the same.`,
    );
  return manifest;
}

void exitWith(main);
