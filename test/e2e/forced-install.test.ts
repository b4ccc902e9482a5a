import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import puppeteer, { type Browser } from 'puppeteer-core';
import manifest from '../../manifest.json';
import { waitFor } from '../../scenarios/kit';
import { browserWith, canManage } from './helpers/policy';

const root = path.resolve(__dirname, '../..');

/** Runs a module of scripts/ in a process of its own, because Jest cannot load what they import; its standard output. */
const inNode = (program: string): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: root,
    encoding: 'utf8',
  }).trim();

/** Packs a browser's build, as `npm run package` does. */
const pack = (browser: string, file: string): string =>
  inNode(`import { writeFileSync } from 'node:fs';
    import { zipFolder } from './scripts/zip.mjs';
    writeFileSync(${JSON.stringify(file)}, zipFolder('dist/${browser}'));`);

/** Serves the files of a folder. */
async function serve(folder: string): Promise<Server> {
  const server = createServer((request, response) => {
    const name = path.basename(new URL(request.url ?? '', 'http://localhost').pathname);
    const type = name.endsWith('.xml') ? 'text/xml' : 'application/x-chrome-extension';
    void readFile(path.join(folder, name)).then((body) => response.setHeader('Content-Type', type).end(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

/** Puts a signed package and its update.xml into a folder; the extension's id. */
function sign(folder: string, url: string): string {
  const zip = path.join(folder, 'cointoss-chrome.zip');
  pack('chrome', zip);
  const { version, minimum_chrome_version: oldestChrome } = manifest;
  const given = { zip, key: path.join(folder, 'key.pem'), url, version, oldestChrome };
  return inNode(`import { signCrx } from './scripts/crx.mjs';
    console.log(await signCrx(${JSON.stringify(given)}));`);
}

describe('a policy installs the extension without a store (docs/field-trial-install.md)', () => {
  let folder = '';
  let browser: Browser | null = null;
  /** What ends after the test, however it ends: the last first. */
  let ends: (() => unknown)[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'cointoss-forced-'));
  });

  afterEach(async () => {
    await browser?.close();
    browser = null;
    for (const end of ends.reverse()) await end();
    ends = [];
    await rm(folder, { recursive: true });
  });

  (canManage('chrome') ? it : it.skip)('in Chrome, from a crx with a key of one’s own', async () => {
    const server = await serve(folder);
    ends.push(() => server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const id = sign(folder, url);
    const offer = await readFile(path.join(folder, 'update.xml'), 'utf8');
    if (!offer.includes(`prodversionmin="${manifest.minimum_chrome_version}"`))
      throw new Error(`it is offered to older versions of Chrome than the manifest allows: ${offer}`);
    const managed = await browserWith('chrome', { ExtensionInstallForcelist: [`${id};${url}update.xml`] });
    ends.push(() => managed.remove());
    const { executablePath = '' } = managed.launchOptions;
    // Puppeteer would switch off what fetches extensions.
    const ignoreDefaultArgs = ['--disable-extensions', '--disable-background-networking'];
    browser = await puppeteer.launch({ executablePath, ignoreDefaultArgs });
    const page = await browser.newPage();
    const isInstalled = async (): Promise<boolean> => {
      await page.goto('chrome://extensions-internals');
      return page.evaluate(
        (wanted) =>
          document.body.innerText.includes(`"id": "${wanted}"`) &&
          document.body.innerText.includes('EXTERNAL_POLICY_DOWNLOAD'),
        id,
      );
    };
    await waitFor('the extension to be installed', isInstalled, { interval: 500 });
  });

  (canManage('firefox') ? it : it.skip)('in Firefox ESR, from an unsigned xpi', async () => {
    const xpi = path.join(folder, 'cointoss.xpi');
    pack('firefox', xpi);
    const { id } = manifest.browser_specific_settings.gecko;
    const managed = await browserWith('firefox', {
      Preferences: { 'xpinstall.signatures.required': { Value: false, Status: 'locked' } },
      ExtensionSettings: { [id]: { installation_mode: 'force_installed', install_url: `file://${xpi}` } },
    });
    ends.push(() => managed.remove());
    const { executablePath = '' } = managed.launchOptions;
    browser = await puppeteer.launch({ browser: 'firefox', executablePath });
    const asks = async (): Promise<boolean> =>
      ((await browser?.pages()) ?? []).some((page) => page.url().endsWith('/pages/consent.html'));
    await waitFor('the extension to ask for consent', asks, { interval: 500 });
  });
});
