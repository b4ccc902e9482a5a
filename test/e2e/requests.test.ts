import type { Page } from 'puppeteer-core';
import { source, trigger } from './helpers/registrations';
import { browsersOfRun, useWorld, type World } from './helpers/world';

interface Options {
  readonly eventSourceEligible: boolean;
  readonly triggerEligible: boolean;
}

/** Runs in the page: asks for each URL in turn, and resolves when all have answered. */
type Ask = (urls: readonly string[], options: Options) => Promise<void>;

const byFetch: Ask = async (urls, options) => {
  for (const url of urls) await fetch(url, { attributionReporting: options } as RequestInit);
};

const byXhr: Ask = async (urls, options) => {
  for (const url of urls) {
    await new Promise((resolve) => {
      const request = new XMLHttpRequest() as XMLHttpRequest & {
        setAttributionReporting(options: object): void;
      };
      request.open('GET', url);
      request.setAttributionReporting(options);
      request.onload = resolve;
      request.send();
    });
  }
};

const ways: readonly (readonly [name: string, ask: Ask])[] = [
  ['fetch', byFetch],
  ['XMLHttpRequest', byXhr],
];

/** What each pair of options lets a response register, and what the request says (ARA, "eligible keys"). */
const eligibilities: readonly (readonly [Options, header: string, recorded: readonly string[]])[] = [
  [{ eventSourceEligible: true, triggerEligible: false }, 'event-source', ['event source 1']],
  [{ eventSourceEligible: false, triggerEligible: true }, 'trigger', ['trigger 2']],
  [
    { eventSourceEligible: true, triggerEligible: true },
    'event-source, trigger',
    ['event source 1', 'trigger 2'],
  ],
];

const on = (words: readonly string[]): string[] => words.map((what) => `${what} on publisher by adtech`);

function serve({ sites }: World): readonly string[] {
  return [
    sites.serve('adtech', '/source', { headers: source(1, sites.origin('shop')) }),
    sites.serve('adtech', '/trigger', { headers: trigger(2) }),
  ];
}

describe.each(browsersOfRun)('fetch and XMLHttpRequest (%s)', (name) => {
  const world = useWorld(name);

  const headersOf = (path: string): unknown =>
    world.sites.received('adtech', path)[0]?.headers['attribution-reporting-eligible'];

  describe.each(ways)('%s', (_name, ask) => {
    it.each(eligibilities)('with %j says "%s" and registers just that', async (options, header, recorded) => {
      const urls = serve(world);
      const page = await world.open('publisher', '');
      await page.evaluate(ask, urls, options);
      expect(await world.waitForRecorded(recorded.length)).toEqual(on(recorded));
      expect([headersOf('/source'), headersOf('/trigger')]).toEqual([header, header]);
    });

    it('with neither eligibility registers nothing, not even a trigger', async () => {
      const urls = serve(world);
      const page = await world.open('publisher', '');
      await page.evaluate(ask, urls, { eventSourceEligible: false, triggerEligible: false });
      const control = world.sites.serve('adtech', '/control', { headers: trigger(9) });
      await page.evaluate(ask, [control], { eventSourceEligible: false, triggerEligible: true });
      expect(await world.waitForRecorded(1)).toEqual(on(['trigger 9']));
      // It should be an empty dictionary, but neither browser lets an extension add an empty header.
      expect(headersOf('/trigger')).toBeUndefined();
    });
  });

  it('gives the page its response, whatever the options', async () => {
    world.sites.serve('publisher', '/data', { body: 'the data' });
    const page = await world.open('publisher', '');
    const texts = await page.evaluate(async () => {
      const options = { eventSourceEligible: true, triggerEligible: true };
      const fetched = await fetch('/data', { attributionReporting: options } as RequestInit);
      const request = new XMLHttpRequest() as XMLHttpRequest & {
        setAttributionReporting(options: object): void;
      };
      request.open('GET', '/data');
      request.setAttributionReporting(options);
      const loaded = new Promise((resolve) => (request.onload = resolve));
      request.send();
      await loaded;
      return [await fetched.text(), request.responseText];
    });
    expect(texts).toEqual(['the data', 'the data']);
  });

  /** The name of the error, if any, of code that runs in the page with `xhr` and `options` at hand. */
  const errorOf = async (page: Page, code: string): Promise<unknown> =>
    page.evaluate(
      `(async () => {
         const options = { eventSourceEligible: true, triggerEligible: false };
         const xhr = new XMLHttpRequest();
         try { ${code} } catch (error) { return error.name; }
         return null;
       })()`,
    );

  /** What code throws, and when. */
  const errors: readonly (readonly [name: string | null, when: string, code: string])[] = [
    ['InvalidStateError', 'before open', 'xhr.setAttributionReporting(options)'],
    [
      'InvalidStateError',
      'after send',
      `xhr.open('GET', '/'); xhr.send(); xhr.setAttributionReporting(options)`,
    ],
    [
      'InvalidStateError',
      'while an eligible request is being sent',
      `xhr.open('GET', '/'); xhr.setAttributionReporting(options); xhr.send(); xhr.setAttributionReporting(options)`,
    ],
    [
      'InvalidStateError',
      'in a second send',
      `xhr.open('GET', '/'); xhr.setAttributionReporting(options); xhr.send(); xhr.send()`,
    ],
    ['TypeError', 'for no options', `xhr.open('GET', '/'); xhr.setAttributionReporting()`],
    ['TypeError', 'for a number', `xhr.open('GET', '/'); xhr.setAttributionReporting(1)`],
    [
      'TypeError',
      'where a member is missing',
      `xhr.open('GET', '/'); xhr.setAttributionReporting({ triggerEligible: true })`,
    ],
    ['TypeError', 'from fetch for a number', `await fetch('/', { attributionReporting: 1 })`],
    ['TypeError', 'from fetch for null', `await fetch('/', { attributionReporting: null })`],
    [
      'TypeError',
      'from fetch where a member is missing',
      `await fetch('/', { attributionReporting: { eventSourceEligible: true } })`,
    ],
    [
      null,
      'of a truthy value, which counts as true',
      `await fetch('/', { attributionReporting: { eventSourceEligible: 1, triggerEligible: '' } })`,
    ],
  ];

  it('throws what the specification says, and when it says so', async () => {
    const page = await world.open('publisher', '');
    const thrown = [];
    for (const [, when, code] of errors) thrown.push([await errorOf(page, code), when, code]);
    expect(thrown).toEqual(errors);
  });
});
