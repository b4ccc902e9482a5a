import { setTimeout as sleep } from 'node:timers/promises';
import { serveSites } from '../../scenarios/kit';
import { entryText } from '../../scenarios/kit/entry-text';
import { DECLARATION_TIME } from '../../recording/requests';
import { REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { source, trigger } from './helpers/registrations';
import { ScriptedServer } from './helpers/scripted-server';
import { browsersOfRun, itInSoak, useWorld, type World } from './helpers/world';
import { english } from '../../words/english';

/** Three hops of three origins, each of which registers a source, from `id` on; the first is the URL. */
function threeHops({ sites }: World, id: number): string {
  const shop = sites.origin('shop');
  const third = sites.serve('third', `/end${id}`, { headers: source(id + 2, shop) });
  const second = sites.serve('second', `/hop${id}`, {
    status: 307,
    headers: { Location: third, ...source(id + 1, shop) },
  });
  return sites.serve('first', `/hop${id}`, {
    status: 302,
    headers: { Location: second, ...source(id, shop) },
  });
}

const eachHop = (id: number): string[] =>
  ['first', 'second', 'third'].map((site, hop) => `event source ${id + hop} on publisher by ${site}`);

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

describe.each(browsersOfRun)('registration headers (%s)', (name) => {
  const world = useWorld(name);

  it('register on each redirect hop of img, script, attributionsrc and fetch, for the origin of that hop', async () => {
    const [image, script, attributionsrc, fetched] = [10, 20, 30, 40].map((id) => threeHops(world, id));
    await world.open(
      'publisher',
      `<img attributionsrc src="${image}"><script attributionsrc src="${script}"></script><img attributionsrc="${attributionsrc}">
       <script>fetch('${fetched}', { attributionReporting: { eventSourceEligible: true, triggerEligible: false } })</script>`,
    );
    expect(await world.waitForRecorded(12)).toEqual([10, 20, 30, 40].flatMap(eachHop));
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

  it('register a trigger from img, script, fetch, sendBeacon and a style sheet without any markup', async () => {
    const data = [1, 2, 3, 4, 5];
    const [image, script, fetched, beacon, sheet] = data.map((number) =>
      world.sites.serve('adtech', `/t${number}`, { headers: trigger(number) }),
    );
    await world.open(
      'shop',
      `<img src="${image}"><script src="${script}"></script><link rel="stylesheet" href="${sheet}">
       <script>fetch('${fetched}'); navigator.sendBeacon('${beacon}')</script>`,
    );
    const each = data.map((number) => `trigger ${number} on shop by adtech`);
    expect(await world.waitForRecorded(data.length)).toEqual(each);
  });

  itInSoak('may have text of any language', async () => {
    const { sites, extension } = world;
    const filters = { a: ['漢', 'é', '🪙'] };
    const view = sites.source('adtech', { destination: sites.origin('shop'), filter_data: filters });
    await world.open('publisher', `<img attributionsrc src="${view}">`);
    const [source] = await extension.waitForSources(1);
    expect(source?.registration.filterData).toMatchObject(filters);
  });

  itInSoak('that are not UTF-8 are refused at the place', async () => {
    // Node writes each character as one byte.
    const header = `{"destination":"${world.sites.origin('shop')}","source_event_id":"\u00e9"}`;
    const server = await ScriptedServer.start('adtech', () => ({
      headers: { 'Attribution-Reporting-Register-Source': header },
    }));
    try {
      await world.open('publisher', `<img attributionsrc="${server.origin}/">`);
      await world.waitForRecorded(1);
      const [refused] = await world.extension.trace();
      expect(refused === undefined ? '' : entryText(refused)).toContain(
        `must be UTF-8, which it is not from character ${header.length - 2} on`,
      );
    } finally {
      await server.close();
    }
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
      'the request is not eligible for a source: its element has no attributionsrc, or its script did not ask',
      'the response has both a source and a trigger header',
    ]);
  });

  /** What is refused, the place of the mistake, and what is said of it. */
  const mistakes: readonly (readonly [
    kind: 'source' | 'trigger',
    json: string,
    path: string,
    says: RegExp,
  ])[] = [
    ['source', '{', '', /^must be JSON/],
    ['source', '{}', '', /"destination"/],
    ['source', '{"destination":"https://a.example","source_event_id":7}', 'source_event_id', /string/],
    [
      'trigger',
      '{"event_trigger_data":[{},{"trigger_data":"x"}]}',
      'event_trigger_data[1].trigger_data',
      /must/,
    ],
  ];

  itInSoak('are refused, with path and reason, when the JSON or what it says is wrong', async () => {
    const names = { source: REGISTER_SOURCE, trigger: REGISTER_TRIGGER };
    const urls = mistakes.map(([kind, json], index) =>
      world.sites.serve('adtech', `/bad${index}`, { headers: { [names[kind]]: json } }),
    );
    await world.open('publisher', urls.map((url) => `<img attributionsrc="${url}">`).join(''));
    expect(await world.waitForRecorded(mistakes.length)).toEqual(
      mistakes.map(([kind]) => `refused ${kind} on publisher by adtech`),
    );
    const log = await world.extension.trace();
    for (const [, json, path, says] of mistakes) {
      const entry = log.find(({ header }) => header === json);
      expect(entry?.kind === 'refused' && entry.errors.map(english.worded)).toEqual([
        { path, message: expect.stringMatching(says) as unknown },
      ]);
    }
    expect(await world.extension.sources()).toEqual([]);
    expect(await world.extension.overview('http://publisher.localhost')).toMatchObject({
      here: { sources: 0, triggers: 0, refused: mistakes.length },
      pendingReports: 0,
    });
  });
});
