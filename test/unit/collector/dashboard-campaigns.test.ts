import fc from 'fast-check';
import { estimateResult } from '../../../analysis/estimate/result/estimate-result';
import {
  areTied,
  countedRate,
  NAMED_TIES,
  pairLevel,
  ranksOf,
  tiedNames,
  type Compared,
} from '../../../analysis/estimate/intervals/ranks';
import { fillWithDemo } from '../../../collector/demo/fill';
import { simulateMonth, truthOfDemo } from '../../../collector/demo/simulate-month';
import {
  statistics as statisticsAnswer,
  summary,
  truth as truthAnswer,
} from '../../../collector/http/answers';
import {
  campaignsOf,
  columnsOf,
  slicesBy,
  type Campaign,
  type Evidence,
} from '../../../analysis/estimate/result/campaigns';
import { parse } from '../../../formats/codec/issues';
import type { Json } from '../../../src/model/json';
import { demoUser } from '../../../analysis/simulation/demo-month';
import type { Parser } from '../../../formats/codec/codec';
import { temporaryCollector } from '../helpers/empty-store';

describe('the demo month', () => {
  const month = { users: 150, seed: 'a month of tosses' };
  let evidence: Evidence;
  /** Conversions of each campaign in the log, whether a report could tell them or not. */
  const happened = new Map<string, number>();

  beforeAll(async () => {
    const app = await temporaryCollector({
      prepare: async (store) => {
        await fillWithDemo(store, await simulateMonth(month));
      },
      truth: () => truthOfDemo(month),
    });
    const origin = await app.listen({ host: '127.0.0.1', port: 0 });
    const get = async <T>(path: string, parser: Parser<T>): Promise<T> => {
      const { value } = parse((await (await fetch(origin + path)).json()) as Json, parser);
      if (value === null) throw new Error(path);
      return value;
    };
    const { groups } = await get('/statistics?group=campaign', statisticsAnswer);
    evidence = {
      estimates: await get('/estimates?group=campaign', estimateResult),
      truth: await get('/truth?group=campaign', truthAnswer),
      slices: slicesBy((await get('/summaries', summary)).rows, 'campaign'),
      histogram: new Map(),
      logged: new Map(groups.map(({ group, sources }) => [group ?? '', sources])),
    };
    await app.close();
    for (let number = 0; number < month.users; number++)
      for (const line of demoUser(month.seed, number).lines) {
        const [, campaign] = /"filters":\{"campaign":\["([^"]+)"/.exec(JSON.stringify(line)) ?? [];
        if (campaign !== undefined) happened.set(campaign, (happened.get(campaign) ?? 0) + 1);
      }
  });

  const rowOf = (rows: readonly Campaign[], name: string): Campaign => {
    const row = rows.find(({ group }) => group === name);
    if (row === undefined) throw new Error(name);
    return row;
  };

  it('ranks all campaigns by the summary report, which counts the conversions of all', () => {
    const { basis, rows } = campaignsOf(evidence);
    expect(basis).toBe('summary');
    expect(rows).toHaveLength(8);
    for (const { group, rate, sources, summary: summed, rank } of rows) {
      const truth = happened.get(group) ?? NaN;
      // The summary misses conversions after the source expired; its noise is above 8 with a probability below 10^-7.
      expect(Math.abs((summed?.value ?? NaN) - truth)).toBeLessThan(0.1 * truth + 8);
      expect(rate?.value).toBeCloseTo((summed?.value ?? NaN) / (evidence.logged?.get(group) ?? NaN), 9);
      expect(sources).toBeGreaterThan(0);
      expect(rank).not.toBeNull();
    }
    // 0.18 of its sources convert; its event-level reports tell of a third of these.
    expect(rowOf(rows, 'Raised beds').rate?.value).toBeGreaterThan(0.1);
  });

  it('ranks by event-level reports only what they count alike', () => {
    const { basis, rows } = campaignsOf({ ...evidence, slices: new Map() });
    expect(basis).toBe('event-level');
    const beds = rowOf(rows, 'Raised beds');
    expect([beds.rank, beds.rate, beds.truth]).toEqual([null, null, null]);
    expect(beds.notes).toEqual([
      { id: 'uncovered-values', count: beds.sources - beds.covered, sources: beds.sources },
    ]);
    expect(beds.covered).toBeLessThan(beds.sources);
    for (const name of ['Last minute', 'Winter reading', 'Audio books'])
      expect(rowOf(rows, name).notes).toMatchObject([{ id: 'unranked-windows', usual: [2_592_000] }]);
    const ranked = rows.filter(({ rank }) => rank !== null);
    expect(ranked.map(({ group }) => group).sort()).toEqual([
      'City breaks',
      'Seed box',
      'Spring sale',
      'Trail runners',
    ]);
    for (const { rate, truth } of ranked) {
      expect(truth?.rate).toBeGreaterThanOrEqual(rate?.low ?? NaN);
      expect(truth?.rate).toBeLessThanOrEqual(rate?.high ?? NaN);
    }
    // Without a rank, a group comes last.
    expect(rows.slice(0, 4)).toEqual(ranked);
  });

  it('has a column for the histogram of W3C Attribution, which decides no rank', () => {
    const slice = { slice: 'campaign=City breaks', estimate: 70, error: 1, low: 68, high: 72 };
    const only = { ...slice, slice: 'campaign=a=b' };
    const { rows } = campaignsOf({ ...evidence, histogram: slicesBy([slice, only], 'campaign') });
    const found = new Map(rows.map((row) => [row.group, row]));
    expect(found.get('City breaks')?.histogram).toEqual({ value: 70, low: 68, high: 72 });
    expect(rows.at(-1)).toMatchObject({ group: 'a=b', rank: null, summary: null, histogram: { value: 70 } });
    const before = campaignsOf(evidence).rows;
    expect(rows.slice(0, -1).map(({ rank }) => rank)).toEqual(before.map(({ rank }) => rank));
    expect(before.every((row) => row.histogram === null)).toBe(true);
  });

  it('keeps a group that only the summary report has', () => {
    const slices = slicesBy(
      [
        { slice: 'campaign=a=b', estimate: -2, error: 1, low: -4, high: 0.5 },
        { slice: 'device=phone', estimate: 9, error: 1, low: 7, high: 11 },
      ],
      'campaign',
    );
    const { basis, rows } = campaignsOf({ ...evidence, slices });
    expect(basis).toBe('event-level');
    expect(rows.at(-1)).toMatchObject({ group: 'a=b', rank: null, summary: { value: 0, low: 0, high: 2.5 } });
    expect(columnsOf([...slices.values()])).toEqual(['campaign']);
  });

  it.each(['slices', 'histogram'] as const)(
    'is not sure that nothing happened where the noise alone is below 0, in %s',
    (kind) => {
      const slice = { slice: 'campaign=a=b', estimate: -5, error: 1, low: -7, high: -3 };
      const { rows } = campaignsOf({ ...evidence, [kind]: slicesBy([slice], 'campaign') });
      const found = rows.find(({ group }) => group === 'a=b');
      expect(kind === 'slices' ? found?.summary : found?.histogram).toEqual({ value: 0, low: 0, high: 2 });
    },
  );
});

/** Few different numbers, so that some are equal, and points, so that some comparisons are close; or any. */
const share = fc.oneof(
  fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const number = fc.tuple(share, share, share).map(([estimate, below, above]): Compared => ({
  estimate,
  interval: [estimate - below / 3, estimate + above / 3],
}));

test('ranks are ranges that ties explain, as comparing all pairs gives them', () => {
  fc.assert(
    fc.property(fc.array(number, { minLength: 1, maxLength: 12 }), (numbers) => {
      const ranks = ranksOf(numbers);
      const names = tiedNames(numbers.map((compared, place) => ({ name: String(place), compared })));
      numbers.forEach((own, index) => {
        const alike = numbers.flatMap((other, place) =>
          place !== index && areTied(own, other) ? [String(place)] : [],
        );
        const apart = numbers.filter((other) => !areTied(own, other));
        expect(ranks[index]).toEqual({
          best: 1 + apart.filter(({ estimate }) => estimate > own.estimate).length,
          worst: numbers.length - apart.filter(({ estimate }) => estimate < own.estimate).length,
          tied: alike.length,
        });
        expect(names[index]).toEqual(alike.slice(0, NAMED_TIES));
      });
    }),
    { seed: 20, numRuns: 2000 },
  );
});

test('groups that cannot be compared are tied with none', () => {
  const compared: Compared = { estimate: 0.5, interval: [0.4, 0.6] };
  const groups = [null, compared, null, compared].map((one, place) => ({ name: `g${place}`, compared: one }));
  expect(tiedNames(groups)).toEqual([[], ['g3'], [], ['g1']]);
});

test('only groups with overlapping intervals are compared', () => {
  let reads = 0;
  const count = 1000;
  const numbers = Array.from({ length: count }, (_, place): Compared => ({
    get estimate() {
      reads += 1;
      return ((7 * place) % count) / count;
    },
    get interval(): Compared['interval'] {
      reads += 1;
      const low = ((7 * place) % count) / count;
      return [low, low + 0.5 / count];
    },
  }));
  expect(ranksOf(numbers).map(({ tied }) => tied)).toEqual(numbers.map(() => 0));
  // All pairs are half a million. Sorting reads about n·log n.
  expect(reads).toBeLessThan(60 * count);
});

test('18 of 299 and 88 of 1675 are tied, because chance alone explains more', () => {
  const level = pairLevel(0.95, 2);
  expect(level).toBeCloseTo(0.95, 12);
  const [a, b] = [countedRate(18, 0.1, 299, level), countedRate(88, 0.1, 1675, level)];
  expect(areTied(a, b)).toBe(true);
  expect(a.noiseShare).toBeLessThan(0.01);
  expect(areTied(countedRate(60, 0.1, 299, level), b)).toBe(false);
  expect(pairLevel(0.95, 8)).toBeCloseTo(1 - 0.05 / 28, 12);
});
