import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { elapsed, isDependency, root, run, say, SetupError } from './console.mjs';
import { withLock } from './set-up-lock.mjs';
import { ensurePackages, requireSupportedNode } from './packages.mjs';

/** Lists the sources of the compiled commands; its modification time is the time of the build. */
export const compiledFrom = 'dist/node/.built';

/** Commands with a build each, of few files: to load a hundred takes longer than the rest of their start. */
export const commandsBuiltAlone = ['collect', 'simulate'];

/** The other builds: their sources and their programs. */
const builds = [
  {
    what: 'the extension',
    sources: [
      'extension',
      'analysis',
      'formats',
      'recording',
      'src',
      'transactions',
      'ui',
      'w3c',
      'words',
      'manifest.json',
      'webpack.config.js',
      'tsconfig.json',
      'package-lock.json',
    ],
    outputs: ['dist/chrome/manifest.json', 'dist/firefox/manifest.json'],
    program: ['node_modules/webpack/bin/webpack.js', '--mode', 'production'],
  },
];

/** Builds dist/chrome and dist/firefox if they are missing or older than their sources. */
export async function ensureBuild() {
  if (isDependency || builds.every(isUpToDate)) return;
  await withLock(async () => {
    for (const one of builds) if (!isUpToDate(one)) await build(one);
  });
}

function isUpToDate({ sources, outputs }) {
  if (!outputs.every((file) => existsSync(path.join(root, file)))) return false;
  return newest(outputs.map(path.dirname)) >= newest(sources);
}

/** Installs packages and compiles the commands if they are missing or older than their sources. */
export async function ensureCommands() {
  requireSupportedNode();
  if (isDependency) return requireBuilt();
  if (areCommandsUpToDate()) return;
  await ensurePackages();
  await withLock(async () => {
    if (!areCommandsUpToDate()) await build({ what: 'the command line', program: ['scripts/compile.mjs'] });
  });
}

/** What npm installs from git has no build. */
function requireBuilt() {
  if (existsSync(path.join(root, 'dist/node/main.mjs'))) return;
  throw new SetupError(
    'this copy is not built. Install the package "cointoss" of the registry, or dist/npm/cointoss-*.tgz of a checkout after "npm run build".',
  );
}

/** Looks at few files, because it runs at the start of every command. */
function areCommandsUpToDate() {
  const time = (file) => statSync(`${root}/${file}`).mtimeMs;
  try {
    const compiled = time(compiledFrom);
    const sources = JSON.parse(readFileSync(path.join(root, compiledFrom), 'utf8'));
    return time('node_modules') > 0 && sources.every((file) => time(file) <= compiled);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

async function build({ what, program }) {
  const start = Date.now();
  say(`building ${what}`);
  const [script, ...args] = program;
  const code = await run(process.execPath, [path.join(root, script), ...args], { stdio: ['ignore', 2, 2] });
  if (code !== 0)
    throw new SetupError(`building ${what} failed with exit code ${code}; its messages are above.`);
  say(`${what} is built (${elapsed(start)})`);
}

const newest = (locations) => Math.max(...locations.map((location) => newestTime(path.join(root, location))));

/** The latest modification under a path, in ms since 1970. Includes folders, to notice removed files. */
function newestTime(location) {
  if (!existsSync(location)) return 0;
  const stats = statSync(location);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(
    stats.mtimeMs,
    ...readdirSync(location).map((name) => newestTime(path.join(location, name))),
  );
}
