import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { attach, extensionPath, serveSites } from '@cointoss/puppeteer';
import puppeteer from 'puppeteer-core';

/*
 * How to put Cointoss into a browser that your own tests start. Copy this file, `npm install --save-dev @cointoss/puppeteer puppeteer-core`,
 * set CHROME_PATH or FIREFOX_PATH, and run `node --test FILE`. Each file has a browser and a profile of its own, so node runs files side by
 * side.
 */

const launchOptions = {
  chrome: {
    executablePath: process.env.CHROME_PATH,
    pipe: true,
    enableExtensions: true,
    args: ['--no-sandbox'],
  },
  firefox: { executablePath: process.env.FIREFOX_PATH },
};

for (const name of ['chrome', 'firefox'].filter((name) => launchOptions[name].executablePath)) {
  describe(`your own browser (${name})`, () => {
    let sites;
    let browser;
    let extension;

    before(async () => {
      sites = await serveSites();
      browser = await puppeteer.launch({ browser: name, ...launchOptions[name] });
      await browser.installExtension(extensionPath(name));
      extension = await attach(browser, {
        browser: name,
        settings: { debug: { enabled: true, noise: false } },
      });
    });

    after(async () => {
      await browser?.close();
      await sites?.close();
    });

    it('records an impression', async () => {
      const page = await browser.newPage();
      const view = sites.source('adtech', { source_event_id: '7', destination: sites.origin('shop') });
      await page.goto(sites.page('news', `<img attributionsrc src="${view}">`));
      const [source] = await extension.waitForSources(1);
      assert.equal(source.registration.sourceEventId, '7');
    });
  });
}
