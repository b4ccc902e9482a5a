import type { Page } from 'puppeteer-core';
import { growthBetween } from '../unit/helpers/costs/measure';
import { catchDownloads, choose, goTo, openView, press } from './helpers/internals';
import { threadClock } from './helpers/thread-clock';
import { counted, workCounter } from './helpers/work-count';
import { isLong, useWorld, type World } from './helpers/world';

type Row = Readonly<Record<string, unknown>>;
interface Snapshot {
  readonly tables: Readonly<Record<'sources' | 'log', readonly Row[]>>;
}

/** What somebody can write into a file of everything that was recorded, which a person then opens. */
interface Shape {
  readonly what: string;
  /** With this made `n` long or many. */
  readonly change: (snapshot: Snapshot, n: number) => unknown;
  /** Shows it. Each is visited. */
  readonly views: readonly string[];
  readonly from: number;
  readonly to: number;
}

const CHARACTERS = { from: 8000, to: 512_000 };
const MANY = { from: 250, to: 16_000 };

const withRows = (snapshot: Snapshot, table: 'sources' | 'log', rows: readonly Row[]): unknown => ({
  ...snapshot,
  tables: { ...snapshot.tables, [table]: rows },
});
const withRefused = ({ tables, ...snapshot }: Snapshot, more: Row): unknown =>
  withRows({ tables, ...snapshot }, 'log', [...tables.log.slice(0, 1), { ...tables.log[1], ...more }]);

const LOG = ['#/log', '#/refused'];
const tables: readonly string[] = [...LOG, '#/sources'];
const ofRefused = [...LOG, '#/log/:refused/why'];

const shapes: readonly Shape[] = [
  {
    what: 'a long header in the log',
    change: (snapshot, n) => withRefused(snapshot, { header: `{"a":"${'x'.repeat(n)}"}` }),
    views: ofRefused,
    ...CHARACTERS,
  },
  {
    what: 'a header in the log that opens many objects',
    change: (snapshot, n) => withRefused(snapshot, { header: '{"a":'.repeat(n / 5) }),
    views: ofRefused,
    ...CHARACTERS,
  },
  {
    what: 'a long path of a mistake',
    change: (snapshot, n) =>
      withRefused(snapshot, { errors: [{ code: 'missing', values: {}, path: 'x.'.repeat(n / 2) }] }),
    views: ofRefused,
    ...CHARACTERS,
  },
  {
    what: 'many mistakes',
    change: (snapshot, n) =>
      withRefused(snapshot, {
        errors: Array.from({ length: n }, (_, index) => ({
          code: 'missing',
          values: {},
          path: `a[${index}]`,
        })),
      }),
    views: ofRefused,
    ...MANY,
  },
  {
    what: 'a log with many entries',
    change: (snapshot, n) =>
      withRows(
        snapshot,
        'log',
        Array.from({ length: n }, (_, index) => ({ ...snapshot.tables.log[1], id: 100 + index })),
      ),
    views: [...LOG, '#/overview'],
    ...MANY,
  },
  {
    what: 'many sources',
    change: (snapshot, n) =>
      withRows(
        snapshot,
        'sources',
        Array.from({ length: n }, (_, index) => ({ ...snapshot.tables.sources[0], id: 100 + index })),
      ),
    views: ['#/sources', '#/overview', '#/budget', '#/attribution'],
    ...MANY,
  },
];

const site = { contextOrigin: 'https://news.example', reportingOrigin: 'https://adtech.example' };

/** Everything that was recorded: a source, and one that was refused. */
async function record({ extension }: World, page: Page): Promise<Snapshot> {
  await extension.register('event', { source_event_id: '1', destination: 'https://shop.example' }, site);
  await extension.register('event', { source_event_id: 'a' }, site).catch(() => undefined);
  const downloads = await catchDownloads(page);
  await press(page, '#with-truth');
  await press(page, '#export-state');
  const snapshot = JSON.parse(await downloads.next()) as Snapshot;
  await downloads.end();
  return snapshot;
}

/**
 * Shows a file of each size.
 * @param meter begins to measure a page. What it returns begins one measurement, and what that returns ends it
 */
async function measure(
  world: World,
  { change, views }: Shape,
  meter: (page: Page) => Promise<Begin>,
): Promise<(n: number) => Promise<number>> {
  const page = await openView(world.extension, '#/data', '#export-state');
  const snapshot = await record(world, page);
  const refused = String(snapshot.tables.log[1]?.['id']);
  const begin = await meter(page);
  return async (n) => {
    const file = JSON.stringify(change(snapshot, n));
    await goTo(page, '#/data');
    await page.waitForSelector('#open-file');
    const end = await begin();
    await choose(page, '#open-file', file);
    await page.waitForSelector('#open-banner');
    for (const view of views) {
      await goTo(page, view.replace(':refused', refused));
      if (tables.includes(view)) await page.waitForSelector('tr.item');
      await shown(page);
    }
    const measured = await end();
    await press(page, '#open-banner button');
    return measured;
  };
}

type Begin = () => Promise<() => Promise<number>>;

// The code is the same in both browsers, and only Chrome tells what the scripts of a page did.
describe('to show a file of twice the size, a page runs at most 3 times as often', () => {
  const world = useWorld('chrome', counted);

  it.each(shapes)('$what', async (shape) => {
    const workOf = await measure(world, shape, async (page) => {
      const count = await workCounter(page);
      return async () => {
        await count();
        return count;
      };
    });
    const once = await workOf(shape.from);
    expect(once).toBeGreaterThan(0);
    expect(await workOf(2 * shape.from)).toBeLessThanOrEqual(3 * once);
  });
});

// What the browser itself does is not counted. Its time is, but depends on what else runs.
if (isLong)
  describe('to show a file of twice the size, a page takes at most 3 times as long', () => {
    const world = useWorld('chrome');

    it.each(shapes)('$what', async (shape) => {
      const timeOf = await measure(world, shape, (page) => Promise.resolve(() => threadClock(page)));
      expect(await growthBetween(timeOf, shape.from, shape.to)).toBeNull();
    });
  });

/** Resolves once the page has changed no more for a while. */
const shown = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    let before = '';
    for (let same = 0; same < 3;) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const now = document.body.textContent;
      same = now === before ? same + 1 : 0;
      before = now;
    }
  });
