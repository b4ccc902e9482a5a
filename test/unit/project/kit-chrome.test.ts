import type { Browser } from 'puppeteer-core';
import { chromeDriver } from '../../../scenarios/kit/chrome';
import { CONSENT_PAGE } from '../../../scenarios/kit/driver';

const asleep = { id: 'asleep', name: 'Cointoss', enabled: false };
const awake = { id: 'awake', name: 'Cointoss', enabled: true };

/** A Chrome in which an extension `open` shows its page, and the addresses that were opened. */
function newBrowser(extensions: () => unknown) {
  const opened: string[] = [];
  const page = { goto: (address: string) => Promise.resolve(void opened.push(address)) };
  const target = { url: () => `chrome-extension://open/${CONSENT_PAGE}`, type: () => 'page' };
  const browser = { extensions, targets: () => [target], newPage: () => Promise.resolve(page) };
  return { browser: browser as unknown as Browser, opened };
}

test.each<[string, () => unknown, string]>([
  [
    'a Chrome that names none, over WebDriver BiDi',
    () => {
      throw new Error('unsupported');
    },
    'open',
  ],
  ['an older Chrome', () => Promise.reject(new Error('unknown method')), 'open'],
  [
    'a Chrome where another copy is disabled',
    () => Promise.resolve(new Map([asleep, awake].map((one) => [one.id, one]))),
    'awake',
  ],
])('the kit finds the extension in %s', async (_which, extensions, found) => {
  const { browser, opened } = newBrowser(extensions);
  const driver = await chromeDriver(browser, null);
  await driver.openPage('pages/log.html', null as never);
  expect(opened).toEqual([`chrome-extension://${found}/pages/log.html`]);
});
