import type { Page } from 'puppeteer-core';
import { growthBetween } from '../unit/helpers/costs/measure';
import { catchDownloads, choose, goTo, openView, press } from './helpers/internals';
import { useMeasured, type Unreached } from './helpers/measured';
import { threadClock } from './helpers/thread-clock';
import { measureRequests } from './helpers/measured-requests';
import { grownIn } from './helpers/work-count';
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
    views: [...LOG, '#/log?q=adtech', '#/overview'],
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
    views: ['#/sources', '#/sources?q=adtech', '#/overview', '#/budget', '#/attribution'],
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
async function measure<Result>(
  world: World,
  { change, views }: Shape,
  meter: (page: Page) => Promise<() => Promise<() => Promise<Result>>>,
): Promise<(n: number) => Promise<Result>> {
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
      if (tables.includes(view.split('?', 1)[0] ?? '')) await page.waitForSelector('tr.item');
      await shown(page);
    }
    const measured = await end();
    await press(page, '#open-banner button');
    return measured;
  };
}

const PAGES = /^extension\/(pages|site)\//;

const unreached: readonly Unreached[] = [
  {
    why: 'Over a list of the code: settings, kinds, languages or the files of the site',
    functions: [
      'extension/pages/views/options/options.tsx: Files Options isFree',
      'extension/pages/views/workbench/workbench.tsx: Editor',
      'extension/site/frame.tsx: Languages Site',
      'extension/site/languages.ts: languageOf wantedLanguage',
      'extension/site/main.ts: askForView',
      'extension/site/service-worker.ts: answer forgetOlder',
      'extension/site/site.tsx: show',
    ],
  },
  {
    why: 'Each character of one address once',
    functions: [
      'extension/pages/state/inspected-site.ts: look',
      'extension/pages/state/trial-link.ts: invitationIn linkOfPage',
      'extension/pages/views/consent/trial-chooser.tsx: TrialChooser',
    ],
  },
  {
    why: 'Each number, row or byte once, when a person opens, simulates or saves; what reads a file is measured by `costs.test.ts`',
    functions: [
      'extension/pages/data/file-link.ts: packFile pull',
      'extension/pages/simulate/use-runs.ts: start',
      'extension/pages/simulate/worker.ts: run',
      'extension/pages/views/records/share.tsx: file saveScenario',
      'extension/pages/views/workbench/workbench.tsx: saveScenario',
      'extension/site/estimates.tsx: Result outcomeOf',
    ],
  },
];

// The code is the same in both browsers, and only Chrome tells what the scripts of a page did.
describe('to show a file of four times the size, each block of a page runs at most 9 times as often', () => {
  const measured = useMeasured();

  it.each(shapes)('$what', async (shape) => {
    const workOf = await measure(measured.world, shape, async (page) => {
      const counter = await measured.counter(page);
      return async () => {
        await counter.take();
        return () => counter.take();
      };
    });
    expect(await grownIn(workOf, shape.from)).toEqual([]);
  });

  it('many requests', async () => {
    const workOf = await measureRequests(measured.world, (page) => measured.counter(page));
    expect(await grownIn(workOf, 256)).toEqual([]);
  });

  test('every function that goes over something has run', () => {
    expect(measured.wrong(PAGES, unreached)).toEqual([]);
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
