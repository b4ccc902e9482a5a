import type { Browser } from 'puppeteer-core';
import { chromeDriver } from '../../../scenarios/kit/chrome';
import { CONSENT_PAGE } from '../../../scenarios/kit/driver';

const asleep = { id: 'asleep', name: 'Cointoss', enabled: false };
const awake = { id: 'awake', name: 'Cointoss', enabled: true };

/** A Chrome in which an extension `open` may show its page, and the addresses that were opened. */
function newBrowser(extensions: () => unknown, hasOpen = true) {
  const opened: string[] = [];
  const page = { goto: (address: string) => Promise.resolve(void opened.push(address)) };
  const target = { url: () => `chrome-extension://open/${CONSENT_PAGE}`, type: () => 'page' };
  const browser = {
    extensions,
    targets: () => (hasOpen ? [target] : []),
    newPage: () => Promise.resolve(page),
  };
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

test.each([
  [
    'that is disabled',
    [asleep],
    'Cointoss is installed in this browser, but disabled: enable it at chrome://extensions',
  ],
  [
    'that is not there',
    [],
    "no Cointoss showed in this browser within 10 s: install extensionPath('chrome') first",
  ],
])('the kit says what to do about a Cointoss %s', async (_which, all, problem) => {
  jest.useFakeTimers();
  try {
    const { browser } = newBrowser(() => Promise.resolve(new Map(all.map((one) => [one.id, one]))), false);
    await Promise.all([
      expect(chromeDriver(browser, null)).rejects.toThrow(problem),
      jest.advanceTimersByTimeAsync(11_000),
    ]);
  } finally {
    jest.useRealTimers();
  }
});
