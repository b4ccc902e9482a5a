import path from 'node:path';
import { installWithoutAsking } from './apt.mjs';
import { ensureBuild, ensureCommands } from './build.mjs';
import { exitWith, root, run } from './console.mjs';
import { ensureBrowser } from './setup.mjs';

const usage = `Usage: npm start -- [--once] [--browser chrome|firefox] [--yes]

Sets up what is missing, builds the extension, starts the demo sites and the collector, and opens a browser.

  --once               make the demo visit by script, without a window; print each report as a line of JSON
  --browser BROWSER    chrome (which Chromium is too) or firefox; chrome is the default
  --yes                install a missing browser with apt-get without asking; only as root on Debian, and so in CI
  --help               show this text
`;

const withoutDisplay = `
  There is no display here for a browser with a window. "npm start -- --once" makes the demo's visit by script,
  without a window, and prints the reports.
`;

/** Throws an Error that names the mistake. */
function parseOptions(args) {
  const options = { once: false, yes: false, help: false, browser: 'chrome' };
  for (let i = 0; i < args.length; i++) {
    const [option, joined] = args[i].split(/=(.*)/s);
    if (option === '--browser') {
      options.browser = joined ?? args[++i];
      if (options.browser !== 'chrome' && options.browser !== 'firefox')
        throw new Error(`--browser expects chrome or firefox, not ${options.browser ?? 'nothing'}`);
    } else if (['--once', '--yes', '--help'].includes(args[i])) options[option.slice(2)] = true;
    else throw new Error(`unknown option ${args[i]} (npm start -- --help lists them)`);
  }
  return options;
}

/** An empty variable is as good as none. */
const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

async function start({ once, yes, browser }) {
  if (!once && !hasDisplay()) {
    process.stderr.write(withoutDisplay);
    return 1;
  }
  if (yes) installWithoutAsking();
  await ensureCommands();
  const executable = await ensureBrowser(browser);
  await ensureBuild();
  const demo = path.join('dist', 'node', 'demo.mjs');
  const args = [demo, '--browser', browser, ...(once ? ['--once'] : [])];
  const variable = browser === 'chrome' ? 'CHROME_PATH' : 'FIREFOX_PATH';
  return run(process.execPath, args, { env: { [variable]: path.resolve(root, executable) } });
}

async function main() {
  let options;
  try {
    options = parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`npm start: ${error.message}\n`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(usage);
    return 0;
  }
  return start(options);
}

void exitWith(main);
