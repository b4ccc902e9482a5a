import { Buffer } from 'node:buffer';
import { execFile, spawnSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { aptInstall, canInstall } from './apt.mjs';
import { CallError, elapsed, root, say, SetupError, withHeartbeat } from './console.mjs';
import { withLock } from './set-up-lock.mjs';

const places = {
  chrome: {
    title: 'Chrome or Chromium',
    variable: 'CHROME_PATH',
    commands: ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'],
    applications: ['Chromium.app/Contents/MacOS/Chromium', 'Google Chrome.app/Contents/MacOS/Google Chrome'],
    programs: ['Chromium/Application/chrome.exe', 'Google/Chrome/Application/chrome.exe'],
    debianPackage: 'chromium',
  },
  firefox: {
    title: 'Firefox',
    variable: 'FIREFOX_PATH',
    commands: ['firefox', 'firefox-esr'],
    applications: ['Firefox.app/Contents/MacOS/firefox'],
    programs: ['Mozilla Firefox/firefox.exe'],
    debianPackage: 'firefox-esr',
  },
};

/**
 * Resolves to the path of `chrome` (or Chromium) or `firefox`: an installed one, else one that puppeteer downloads, else one from apt-get.
 * Needs the packages. Rejects with a SetupError that lists every place searched.
 */
export async function ensureBrowser(name) {
  const tried = [];
  const found = installedBrowser(name, tried);
  if (found !== null) return found;
  return withLock(async () => {
    const browser = (await downloadedBrowser(name, tried)) ?? (await debianBrowser(name, tried));
    if (browser !== null) return browser;
    const { title, variable } = places[name];
    throw new SetupError(
      `no ${title} found. Install it, or set ${variable} to its executable. Tried:\n  ${tried.join('\n  ')}`,
    );
  }, 'programs');
}

function installedBrowser(name, tried) {
  const named = browserFromEnvironment(name);
  if (named !== null) return named;
  const candidates = candidatePaths(name);
  tried.push(`$${places[name].variable} and $PUPPETEER_EXECUTABLE_PATH: not set`);
  tried.push(`installed: none of ${places[name].commands.join(', ')} on the PATH or in the usual folders`);
  return candidates.find((file) => existsSync(file) && !isSandboxWrapper(file)) ?? null;
}

/** If the given path is no program, that is an error: no other browser replaces it. */
function browserFromEnvironment(name) {
  const variables = [places[name].variable];
  const shared = process.env.PUPPETEER_EXECUTABLE_PATH ?? '';
  if (/firefox/i.test(path.basename(shared)) === (name === 'firefox'))
    variables.push('PUPPETEER_EXECUTABLE_PATH');
  for (const variable of variables) {
    const file = process.env[variable];
    if (!file) continue;
    if (!existsSync(file)) throw new CallError(`$${variable} is ${file}, which does not exist.`);
    if (!isProgram(file)) throw new CallError(`$${variable} is ${file}, which is no program.`);
    return file;
  }
  return null;
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function candidatePaths(name) {
  const { commands, applications, programs } = places[name];
  const { env, platform } = process;
  if (platform === 'darwin') {
    const folders = ['/Applications', path.join(env.HOME ?? '', 'Applications')];
    return applications.flatMap((application) => folders.map((folder) => path.join(folder, application)));
  }
  if (platform === 'win32') {
    const folders = [env.PROGRAMFILES, env['PROGRAMFILES(X86)'], env.LOCALAPPDATA].filter(Boolean);
    return programs.flatMap((program) => folders.map((folder) => path.join(folder, program)));
  }
  const folders = (env.PATH ?? '').split(path.delimiter).filter(Boolean);
  return commands.flatMap((command) => folders.map((folder) => path.join(folder, command)));
}

/** Snap and Flatpak hide our profile folder and our extension from the browser. */
function isSandboxWrapper(file) {
  if (process.platform !== 'linux') return false;
  const target = realpathSync(file);
  return /\/snap\/|\/flatpak\/|\/snap$/.test(target) || /\/snap\/bin\/|flatpak run/.test(head(target));
}

function head(file) {
  const buffer = Buffer.alloc(8192);
  const descriptor = openSync(file, 'r');
  const length = readSync(descriptor, buffer);
  closeSync(descriptor);
  return buffer.toString('latin1', 0, length);
}

/** The version that this puppeteer expects; an earlier download is found at once. */
async function downloadedBrowser(name, tried) {
  const { title } = places[name];
  say(`no installed ${title} found; using puppeteer's own (downloaded once, about 150 MB)`);
  const doing = `downloading ${title}`;
  const file = await withHeartbeat(doing, () => puppeteerInstall(name)).catch((error) => error);
  if (file instanceof Error) {
    tried.push(`puppeteer's download: ${lastMessageLine(file)}`);
    return null;
  }
  if (!canStart(file)) {
    tried.push(`puppeteer's download: ${file} does not start here (libraries missing?)`);
    return null;
  }
  return file;
}

/** The last line of a failed command's output that is not part of a stack trace, without its bullet. */
function lastMessageLine({ message }) {
  const lines = message.split('\n').map((line) => line.trim());
  return lines.findLast((line) => line !== '' && !line.startsWith('at ')).replace(/^- /, '');
}

/** Resolves to the path in the last line that puppeteer's installer prints, "chrome@<version> <path>". */
async function puppeteerInstall(name) {
  const require = createRequire(path.join(root, 'package.json'));
  const { PUPPETEER_REVISIONS } = require('puppeteer-core/internal/revisions.js');
  const core = createRequire(require.resolve('puppeteer-core'));
  const cli = path.join(path.dirname(core.resolve('@puppeteer/browsers')), 'main-cli.js');
  // The folder that puppeteer itself uses.
  const cache = process.env.PUPPETEER_CACHE_DIR ?? path.join(homedir(), '.cache', 'puppeteer');
  const args = [cli, 'install', `${name}@${PUPPETEER_REVISIONS[name]}`, '--path', cache];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, timeout: 15 * 60_000 });
  const file = /^\w+@\S+ (.+)$/m.exec(stdout)?.[1]?.trim() ?? '';
  if (!existsSync(file)) throw new Error(`${JSON.stringify(stdout)} names no file`);
  return file;
}

function canStart(file) {
  return process.platform === 'win32' || spawnSync(file, ['--version'], { timeout: 60_000 }).status === 0;
}

async function debianBrowser(name, tried) {
  if (!canInstall()) {
    tried.push('apt-get: only used as root on Debian and its kin');
    return null;
  }
  const start = Date.now();
  const { debianPackage, title } = places[name];
  const code = await aptInstall(debianPackage);
  const found = candidatePaths(name).find((file) => existsSync(file) && !isSandboxWrapper(file));
  if (code !== 0 || found === undefined) {
    tried.push(`apt-get install ${debianPackage}: exit code ${code}`);
    return null;
  }
  say(`${title} is installed (${elapsed(start)})`);
  return found;
}
