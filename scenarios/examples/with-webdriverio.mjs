import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { extensionPath, serveSites } from '@cointoss/puppeteer';
import { remote } from 'webdriverio';

/*
 * How to test attribution with WebdriverIO in Chromium. Copy this file, `npm install --save-dev @cointoss/puppeteer puppeteer-core
 * webdriverio`, name the browser and its driver in CHROME_PATH and CHROMEDRIVER_PATH, and run `node --test FILE`.
 */

const folder = extensionPath('chrome');

const capabilities = {
  browserName: 'chrome',
  'wdio:enforceWebDriverClassic': true,
  // Without it WebdriverIO downloads a driver.
  'wdio:chromedriverOptions': { binary: process.env.CHROMEDRIVER_PATH },
  'goog:chromeOptions': {
    // So that the driver knows the extension's pages.
    enableExtensionTargets: true,
    binary: process.env.CHROME_PATH,
    args: [
      '--headless=new',
      '--no-sandbox',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
    ],
  },
};

describe('WebdriverIO', () => {
  let sites;
  let browser;
  let own;

  /** What the extension answers to a message from a page of its own. */
  const send = (message) => browser.execute((sent) => globalThis.chrome.runtime.sendMessage(sent), message);

  /** Goes to the consent page, which opens by itself. */
  async function findConsentPage() {
    for (const handle of await browser.getWindowHandles()) {
      await browser.switchToWindow(handle);
      if ((await browser.getUrl()).startsWith('chrome-extension:')) return true;
    }
    return false;
  }

  before(async () => {
    sites = await serveSites();
    browser = await remote({ logLevel: 'warn', capabilities, connectionRetryTimeout: 600_000 });
    await browser.waitUntil(findConsentPage, { timeout: 600_000 });
    await browser.url(new URL('/pages/internals.html', await browser.getUrl()).href);
    own = await browser.getWindowHandle();
    await send({ kind: 'accept', trial: null }); // agrees to recording
  });

  after(async () => {
    await browser?.deleteSession();
    await sites?.close();
  });

  it('records an impression', async () => {
    const view = sites.source('adtech', { source_event_id: '7', destination: sites.origin('shop') });
    await browser.newWindow(sites.page('news', `<img attributionsrc src="${view}">`));
    await browser.switchToWindow(own);
    const sources = () => send({ kind: 'list', table: 'sources', limit: 100 });
    await browser.waitUntil(async () => (await sources()).length > 0, { timeout: 600_000 });
    assert.equal((await sources())[0].registration.sourceEventId, '7');
  });
});
