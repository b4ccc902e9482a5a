import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { extensionPath, serveSites } from '@cointoss/puppeteer';
import { chromium } from 'playwright-core';

/*
 * How to test attribution with Playwright in Chromium. Copy this file, `npm install --save-dev @cointoss/puppeteer puppeteer-core
 * playwright-core`, name the browser in CHROME_PATH, and run `node --test FILE`.
 */

const folder = extensionPath('chrome');

describe('Playwright', () => {
  let sites;
  let context;
  let own;

  /** What the extension answers to a message from a page of its own. */
  const send = (message) => own.evaluate((sent) => globalThis.chrome.runtime.sendMessage(sent), message);

  before(async () => {
    sites = await serveSites();
    context = await chromium.launchPersistentContext('', {
      executablePath: process.env.CHROME_PATH,
      headless: false,
      args: [
        '--headless=new',
        '--no-sandbox',
        `--disable-extensions-except=${folder}`,
        `--load-extension=${folder}`,
      ],
      timeout: 0,
    });
    const worker =
      context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker', { timeout: 0 }));
    own = await context.newPage();
    await own.goto(new URL('/pages/internals.html', worker.url()).href);
    await send({ kind: 'accept', trial: null }); // agrees to recording
  });

  after(async () => {
    await context?.close();
    await sites?.close();
  });

  it('records an impression', async () => {
    const page = await context.newPage();
    const view = sites.source('adtech', { source_event_id: '7', destination: sites.origin('shop') });
    await page.goto(sites.page('news', `<img attributionsrc src="${view}">`));
    let sources = [];
    while (sources.length === 0) sources = await send({ kind: 'list', table: 'sources', limit: 100 });
    assert.equal(sources[0].registration.sourceEventId, '7');
  });
});
