import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { elapsed, isDependency, root, run, runQuietly, say, SetupError } from './console.mjs';
import { withLock } from './set-up-lock.mjs';

/** Runs `npm ci` if node_modules does not match package-lock.json. Rejects with a SetupError if Node is too old or npm fails. */
export async function ensurePackages() {
  requireSupportedNode();
  if (isDependency || mismatch() === null) return;
  await withLock(async () => {
    const reason = mismatch();
    if (reason !== null) await installPackages(reason);
  });
}

/** Runs a script of package.json. Resolves to its exit code. */
export function runScript(name, ...options) {
  const [command, ...args] = npm();
  return run(command, [...args, 'run', '--silent', name, '--', ...options]);
}

/** @throws SetupError */
export function requireSupportedNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetupError(`Cointoss needs Node 20.19 or newer; this is Node ${process.versions.node}.`);
}

async function installPackages(reason) {
  const start = Date.now();
  say(`installing packages with npm ci, because ${reason}`);
  const [command, ...args] = npm();
  const options = [
    'ci',
    '--include=dev',
    '--no-json',
    '--loglevel=warn',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
  ];
  const code = await runQuietly(command, [...args, ...options], {
    doing: 'installing packages',
  });
  if (code !== 0) throw new SetupError(`npm ci failed with exit code ${code}; its messages are above.`);
  say(`packages are installed (${elapsed(start)})`);
}

/** Why node_modules does not match package-lock.json; null if it does. npm records what it installed in a hidden lockfile. */
function mismatch() {
  const wanted = readPackages('package-lock.json');
  if (wanted === null) throw new SetupError('package-lock.json is missing or is not JSON.');
  const installed = readPackages('node_modules/.package-lock.json');
  if (installed === null) return 'none are installed';
  for (const [location, entry] of Object.entries(wanted)) {
    if (location === '') continue;
    const found = installed[location];
    const present = found !== undefined && existsSync(path.join(root, location, 'package.json'));
    // Optional packages for other platforms are expected to be absent.
    if (!present && entry.optional && found === undefined) continue;
    if (!present) return `${location} is missing`;
    if (found.version !== entry.version || found.integrity !== entry.integrity) return `${location} differs`;
  }
  return null;
}

function readPackages(lockfile) {
  try {
    return JSON.parse(readFileSync(path.join(root, lockfile), 'utf8')).packages ?? null;
  } catch {
    return null;
  }
}

/** The npm that started us, else the one beside this Node, else the one on the PATH. */
export function npm() {
  const own = process.env.npm_execpath;
  const beside = [
    path.join(path.dirname(process.execPath), 'node_modules/npm/bin/npm-cli.js'),
    path.join(path.dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js'),
  ];
  const script = [own, ...beside].find((file) => file?.endsWith('npm-cli.js') && existsSync(file));
  return script === undefined ? ['npm'] : [process.execPath, script];
}
