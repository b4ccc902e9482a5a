import { setTimeout as sleep } from 'node:timers/promises';
import { serveSites } from '../../scenarios/kit';
import { DECLARATION_TIME } from '../../recording/requests';
import { source, trigger } from './helpers/registrations';
import { browsers, useWorld, type World } from './helpers/world';
import { english } from '../../words/english';

/** Three hops of three origins, each of which registers a source; the first is the URL. */
function threeHops({ sites }: World): string {
  const shop = sites.origin('shop');
  const third = sites.serve('third', '/end', { headers: source(3, shop) });
  const second = sites.serve('second', '/hop', {
    status: 307,
    headers: { Location: third, ...source(2, shop) },
  });
  return sites.serve('first', '/hop', { status: 302, headers: { Location: second, ...source(1, shop) } });
}

const eachHop = [1, 2, 3].map(
  (hop) => `event source ${hop} on publisher by ${['first', 'second', 'third'][hop - 1] ?? ''}`,
);

describe('a site', () => {
  it('answers 500, and says why, where it cannot send a header', async () => {
    const sites = await serveSites();
    const written = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    // For 127.0.0.1, the site's label is the part before the first point.
    const path = '/broken';
    sites.serve('127', path, { headers: { Broken: 'two\nlines' } });
    const { status } = await fetch(`http://127.0.0.1:${sites.port}${path}`);
    expect(status).toBe(500);
    expect(written.mock.calls.join('')).toMatch(/GET .*\/broken: cannot be answered: .*Broken/);
    written.mockRestore();
    await sites.close();
  });
});

describe.each(browsers)('registration headers (%s)', (name) => {
  const world = useWorld(name);

  it.each([
    ['the src of an img', (url: string) => `<img attributionsrc src="${url}">`],
    ['the src of a script', (url: string) => `<script attributionsrc src="${url}"></script>`],
    ['attributionsrc', (url: string) => `<img attributionsrc="${url}">`],
    [
      'fetch',
      (url: string) =>
        `<script>fetch('${url}', { attributionReporting: { eventSourceEligible: true, triggerEligible: false } })</script>`,
    ],
  ])('register on each redirect hop of %s, for the origin of that hop', async (_title, body) => {
    await world.open('publisher', body(threeHops(world)));
    expect(await world.waitForRecorded(3)).toEqual(eachHop);
  });

  it('register on each redirect hop of a click, with the page of the click as source site', async () => {
    const { sites } = world;
    const landing = sites.page('shop', 'Welcome');
    const second = sites.serve('second', '/go', {
      status: 302,
      headers: { Location: landing, ...source(2, sites.origin('shop')) },
    });
    const first = sites.serve('first', '/go', {
      status: 302,
      headers: { Location: second, ...source(1, sites.origin('shop')) },
    });
    const page = await world.open('publisher', `<a attributionsrc id="it" href="${first}">Go</a>`);
    await page.click('#it', { delay: 120 });
    expect(await world.waitForRecorded(2)).toEqual([
      'navigation source 1 on publisher by first',
      'navigation source 2 on publisher by second',
    ]);
  });

  it.each([
    ['an img', (url: string) => `<img src="${url}">`],
    ['a script', (url: string) => `<script src="${url}"></script>`],
    ['fetch', (url: string) => `<script>fetch('${url}')</script>`],
    ['sendBeacon', (url: string) => `<script>navigator.sendBeacon('${url}')</script>`],
    ['a stylesheet', (url: string) => `<link rel="stylesheet" href="${url}">`],
  ])('register a trigger from %s without any markup', async (_title, body) => {
    const url = world.sites.serve('adtech', '/t', { headers: trigger(5) });
    await world.open('shop', body(url));
    expect(await world.waitForRecorded(1)).toEqual(['trigger 5 on shop by adtech']);
  });

  it('may have text of any language', async () => {
    const { sites, extension } = world;
    const filters = { a: ['漢', 'é', '🪙'] };
    const view = sites.source('adtech', { destination: sites.origin('shop'), filter_data: filters });
    await world.open('publisher', `<img attributionsrc src="${view}">`);
    const [source] = await extension.waitForSources(1);
    expect(source?.registration.filterData).toMatchObject(filters);
  });

  it('in a frame register on the site of the page around it', async () => {
    const { sites } = world;
    const eventSource = sites.serve('adtech', '/s', { headers: source(1, sites.origin('shop')) });
    const conversion = sites.serve('adtech', '/t', { headers: trigger(5) });
    const inner = sites.page(
      'widget',
      `<img src="${conversion}"><img attributionsrc src="${eventSource}"><img attributionsrc="${conversion}">`,
    );
    const middle = sites.page('frame', `<iframe src="${inner}"></iframe>`);
    await world.open('shop', `<iframe src="${middle}"></iframe>`);
    expect(await world.waitForRecorded(3)).toEqual([
      'event source 1 on shop by adtech',
      'trigger 5 on shop by adtech',
      'trigger 5 on shop by adtech',
    ]);
  });

  it('register nothing where the request is not eligible, or the response says two things', async () => {
    const { sites } = world;
    const shop = sites.origin('shop');
    const eventSource = sites.serve('adtech', '/s', { headers: source(1, shop) });
    const both = sites.serve('adtech', '/both', { headers: { ...source(2, shop), ...trigger(6) } });
    const conversion = sites.serve('adtech', '/t', { headers: trigger(7) });
    await world.open(
      'publisher',
      `<img src="${eventSource}?img"><script src="${eventSource}"></script><script>fetch('${eventSource}')</script>
       <a attributionsrc href="${eventSource}">never clicked</a>
       <img attributionsrc src="${both}"><img attributionsrc="${both}">
       <img src="${conversion}">`,
    );
    sites.serve('adtech', '/s?img', { headers: source(1, shop) });
    // These requests are decided once no document can declare them any more.
    await sleep(DECLARATION_TIME + 1000);
    expect(await world.recorded()).toEqual(['trigger 7 on publisher by adtech']);
    expect(await world.extension.sources()).toEqual([]);
    expect(await world.ignored()).toEqual([
      'the request is not eligible (unset)',
      'the response has both a source and a trigger header',
    ]);
  });

  it.each<readonly [title: string, header: object, path: string, message: RegExp]>([
    ['is no JSON', { 'Attribution-Reporting-Register-Source': '{' }, '', /^must be JSON/],
    ['has no destination', { 'Attribution-Reporting-Register-Source': '{}' }, '', /"destination"/],
    [
      'has a number where a string belongs',
      { 'Attribution-Reporting-Register-Source': '{"destination":"https://a.example","source_event_id":7}' },
      'source_event_id',
      /string/,
    ],
    [
      'has an item that is wrong',
      { 'Attribution-Reporting-Register-Trigger': '{"event_trigger_data":[{},{"trigger_data":"x"}]}' },
      'event_trigger_data[1].trigger_data',
      /must/,
    ],
  ])('are refused, with path and reason, when the JSON %s', async (_title, header, path, message) => {
    const url = world.sites.serve('adtech', '/bad', { headers: header as Record<string, string> });
    await world.open('publisher', `<img attributionsrc="${url}">`);
    const kind = 'Attribution-Reporting-Register-Source' in header ? 'source' : 'trigger';
    expect(await world.waitForRecorded(1)).toEqual([`refused ${kind} on publisher by adtech`]);
    const [entry] = await world.extension.trace();
    expect(entry?.kind === 'refused' && entry.errors.map(english.worded)).toEqual([
      { path, message: expect.stringMatching(message) as unknown },
    ]);
    expect(await world.extension.sources()).toEqual([]);
    expect(await world.extension.overview('http://publisher.localhost')).toMatchObject({
      here: { sources: 0, triggers: 0, refused: 1 },
      pendingReports: 0,
    });
  });
});
