import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '../../scenarios/kit';
import { source, trigger } from './helpers/registrations';
import { matrix, sections, type Urls, type Way } from './helpers/ways';
import { browsers, useWorld } from './helpers/world';

describe.each(browsers)('ways to use the API (%s)', (name) => {
  const world = useWorld(name);

  const urlsOf = (id: number): Urls => {
    const { sites } = world;
    const shop = sites.page('shop', 'Welcome');
    const headers = source(id, sites.origin('shop'));
    const url = sites.serve('adtech', `/s${id}`, { headers });
    sites.serve('adtech', `/s${id}*`, { headers });
    return {
      source: url,
      trigger: sites.serve('adtech', `/t${id}`, { headers: trigger(id) }),
      hop: sites.redirect('adtech', shop, { headers }),
      shop,
      page: (site, body) => sites.page(site, body),
    };
  };

  const idsIn = (recorded: readonly string[]): number[] =>
    recorded.flatMap((one) =>
      one.includes(' on publisher ') || one.includes(' on adtech ') ? Number(/\d+/.exec(one)?.[0]) : [],
    );

  const howOften = async (id: number, { registers }: Way): Promise<number> =>
    (await world.recorded()).filter((one) => one.startsWith(`${registers} ${id} on `)).length;

  /** What was registered, beside what should be. */
  const tried = async (ways: readonly Way[]): Promise<[actual: object, expected: object]> => {
    const expected = ways.map(({ missing }) => (missing?.[name] === undefined ? 1 : 0));
    for (const [id, way] of ways.entries()) {
      const page = await world.open('publisher', way.body(urlsOf(id)));
      if (way.act === undefined) continue;
      await way.act(page);
      if (expected[id] === 1)
        await waitFor(way.way, async () => (await howOften(id, way)) > 0).catch(() => undefined);
      await page.close();
    }
    await waitFor(
      'all that is to be recorded',
      async () => idsIn(await world.recorded()).length >= expected.filter((count) => count > 0).length,
    ).catch(() => undefined);
    await sleep(1000);
    const counts = await Promise.all(ways.map((way, id) => howOften(id, way)));
    const named = (values: readonly number[]): object =>
      Object.fromEntries(ways.map(({ way }, id) => [way, values[id]]));
    return [named(counts), named(expected)];
  };

  it.each(sections)('by %s register once each, or nothing where the matrix says so', async (_what, ways) => {
    const [actual, expected] = await tried(ways);
    expect(actual).toEqual(expected);
  });
});

it('docs/ways.md has the matrix that these tests hold', async () => {
  expect(await readFile('docs/ways.md', 'utf8')).toContain(matrix());
});
