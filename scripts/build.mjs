import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { elapsed, isDependency, root, run, say, SetupError } from './console.mjs';
import { withLock } from './lock.mjs';

const sources = [
  'extension',
  'src',
  'manifest.json',
  'webpack.config.js',
  'tsconfig.json',
  'package-lock.json',
];
const outputs = ['dist/chrome/manifest.json', 'dist/firefox/manifest.json'];
/** Webpack leaves files alone whose content stays the same, so their times do not tell when it last ran. */
const stamp = path.join(root, 'dist', '.built');

/** Builds dist/chrome and dist/firefox if they are missing or older than their sources. */
export async function ensureBuild() {
  if (isDependency || isUpToDate()) return;
  await withLock(async () => {
    if (!isUpToDate()) await build();
  });
}

function isUpToDate() {
  const built = outputs.every((file) => existsSync(path.join(root, file)));
  return built && newestTime(path.join(root, 'dist')) >= newestSourceTime();
}

async function build() {
  const start = Date.now();
  const webpack = path.join(root, 'node_modules/webpack/bin/webpack.js');
  say('building the extension');
  const code = await run(process.execPath, [webpack, '--mode', 'production'], { stdio: ['ignore', 2, 2] });
  if (code !== 0) throw new SetupError(`the build failed with exit code ${code}; its messages are above.`);
  writeFileSync(stamp, new Date(start).toISOString());
  say(`the extension is built (${elapsed(start)})`);
}

function newestSourceTime() {
  return Math.max(...sources.map((source) => newestTime(path.join(root, source))));
}

/** The latest modification under a path, in ms since the epoch; folders count, for what was removed from them. */
function newestTime(location) {
  const stats = statSync(location);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(
    stats.mtimeMs,
    ...readdirSync(location).map((name) => newestTime(path.join(location, name))),
  );
}
