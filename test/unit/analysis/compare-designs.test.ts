import { designOf } from '../../../analysis/experiment/designs/designs';
import { LabelSums } from '../../../analysis/experiment/designs/label-sums';
import { leastSquares, Proportions } from '../../../analysis/experiment/designs/proportions';
import type { Measurement } from '../../../analysis/experiment/measurement';
import { MixedMeasurement } from '../../../analysis/experiment/mixed-measurement';
import { W3cMeasurement } from '../../../analysis/experiment/w3c-measurement';
import { LoggedSources, type LoggedSource } from '../../../analysis/experiment/logged-sources';
import type { GroupResult } from '../../../analysis/experiment/result';
import { parseLogLine } from '../../../analysis/simulation/log-line';
import { demoUser } from '../../../analysis/simulation/demo-month';
import { seededRandomSource, seededRandomStreams } from '../../../analysis/random/sources';
import type { Origin } from '../../../src/model/units';
import { Rational } from '../../../src/privacy/rational';
import { uniformBelow } from '../../../src/privacy/uniform';

const ORIGIN = 'https://ads.example' as Origin;
const columns = ['campaign', 'source_type'];
const levels = { columns, levels: [['campaign'], ['source_type'], []], confidence: 0.95 };

const source = (campaign: string, type: string, count: number): LoggedSource => ({
  reportingOrigin: ORIGIN,
  destinations: [],
  group: [campaign, type],
  count,
});

const sources = [source('a', 'event', 400), source('a', 'navigation', 100), source('b', 'event', 300)];

const estimates = (results: readonly GroupResult[]): readonly (readonly [string, number])[] =>
  results.map(({ level, group, estimate }) => [`${level} ${group.join(' ')}`.trim(), estimate]);

test('label sums: each conversion counts once in each level, with noise of its own there', () => {
  const design = new LabelSums(levels, sources);
  const random = seededRandomSource('label sums', 0);
  expect(design.keys).toBe(3);
  for (const { group } of sources)
    for (const key of design.keysOf(ORIGIN, group)) design.add(ORIGIN, key, 10 * 7);
  design.add(ORIGIN, 99, 7);
  design.add('https://other.example', 0, 7);
  expect(estimates(design.results(7, null))).toEqual([
    ['0 a', 20],
    ['0 b', 10],
    ['1 event', 20],
    ['1 navigation', 10],
    ['2', 30],
  ]);
  const noisy = design.results(7, { scale: Rational.of(70n), random }).map(({ estimate }) => estimate);
  // As a sum of the campaigns, the total would have their noise.
  expect((noisy[0] ?? 0) + (noisy[1] ?? 0)).not.toBe(noisy[4]);
});

test('least squares finds rates that fit all bags, and shares alike where bags cannot tell', () => {
  const counts = [
    [1, 2, 3, 4, 0],
    [4, 0, 1, 2, 2],
  ].map((row) => Float64Array.from(row));
  const sums = Float64Array.from(
    { length: 5 },
    (_, bag) => 0.5 * (counts[0]?.[bag] ?? 0) + 0.25 * (counts[1]?.[bag] ?? 0),
  );
  const fit = leastSquares(counts, sums);
  [5, 2.25].forEach((conversions, group) => {
    expect(fit[group]?.estimate).toBeCloseTo(conversions, 9);
    expect(fit[group]?.deviation).toBeCloseTo(0, 6);
  });
  const few = counts.map((row) => row.subarray(0, 2));
  expect(
    leastSquares(few, sums.subarray(0, 2)).map(({ estimate, deviation }) => [estimate, deviation]),
  ).toEqual([
    [(3 * 2.5) / 7, Infinity],
    [(4 * 2.5) / 7, Infinity],
  ]);
});

test('bags have their size in the mean, whichever reporting origin they are of', () => {
  const counts = new Map([
    [ORIGIN, 400],
    ['https://other.example' as Origin, 100],
  ]);
  const design = new Proportions(
    levels,
    [...counts].map(([reportingOrigin, count]) => ({ ...source('a', 'event', count), reportingOrigin })),
    10,
  );
  const random = seededRandomSource('bags of origins', 0);
  for (const [origin, count] of counts) {
    // A bag is missed by all draws with a probability below 40·(39/40)^4000 < 1e-40.
    const drawn = Array.from({ length: 4000 }, () => design.keysOf(origin, ['a', 'event'], random)[0]);
    expect(new Set(drawn).size).toBe(count / 10);
  }
});

test('bags have their size in the mean, also if only a share of the people put sources into them', () => {
  const design = designOf({ kind: 'proportions', size: 10, conversions: 1 }, levels, sources, 0.1);
  const random = seededRandomSource('bags of a share', 0);
  // 80 of 800 sources; a bag is missed by all draws with a probability below 8·(7/8)^400 < 1e-22.
  const drawn = Array.from({ length: 400 }, () => design.keysOf(ORIGIN, ['a', 'event'], random)[0]);
  expect(new Set(drawn).size).toBe(8);
});

test('where bags do not tell groups apart, estimates have no variance and intervals no end', () => {
  const design = new Proportions(levels, sources, 5000);
  const random = seededRandomSource('one bag', 0);
  for (const { group } of sources) design.keysOf(ORIGIN, group, random);
  const found = design.results(1, null);
  expect(found).toHaveLength(5);
  for (const one of found) expect(one).toMatchObject({ variance: null, low: null, high: null });
});

describe('groups that bags do not tell apart', () => {
  const random = seededRandomSource('singular bags', 0);
  const column = (): Float64Array =>
    Float64Array.from({ length: 40 }, () => Number(uniformBelow(random, 5n)));
  const [one, two, sums] = [column(), column(), column()];
  const deviations = (...counts: readonly Float64Array[]): readonly number[] =>
    leastSquares(counts, sums).map(({ deviation }) => deviation);

  test('are uncertain if they have the same counts, or counts that are sums of others', () => {
    expect(deviations(one, two).every((deviation) => deviation < 100)).toBe(true);
    expect(deviations(one, one)).toEqual([Infinity, Infinity]);
    expect(deviations(one, two, one)).toEqual([Infinity, Infinity, Infinity]);
    // Rounding leaves more of the sum of many others than of a copy.
    const many = Array.from({ length: 25 }, column);
    const sum = one.map((_, bag) => many.reduce((total, counts) => total + (counts[bag] ?? 0), 0));
    expect(new Set(deviations(...many, sum))).toEqual(new Set([Infinity]));
    expect(Math.max(...deviations(...many))).toBeLessThan(1000);
  });

  test('share one rate', () => {
    const conversions = sums.reduce((total, count) => total + count, 0);
    const [first, second] = leastSquares([one, one], sums);
    expect(first?.estimate).toBeCloseTo(conversions / 2, 9);
    expect(second).toEqual(first);
  });

  test('are uncertain without sources, and change nothing for others', () => {
    const fit = leastSquares([one, new Float64Array(40), two], sums);
    expect(fit[1]).toEqual({ estimate: 0, deviation: Infinity });
    expect([fit[0], fit[2]]).toEqual(leastSquares([one, two], sums));
  });
});

test('label proportions: unbiased, and intervals hold the truth about as often as they say', () => {
  const truths = new Map([
    ['0 a', 45],
    ['0 b', 120],
    ['1 event', 150],
    ['1 navigation', 15],
    ['2', 165],
  ]);
  const converting = [30, 15, 120];
  const noise = { scale: Rational.of(14n), random: seededRandomSource('bags', 0) };
  const RUNS = 120;
  const [totals, held] = [new Map<string, number>(), new Map<string, number>()];
  for (let run = 0; run < RUNS; run++) {
    const random = seededRandomSource('bags', 1 + run);
    const design = new Proportions(levels, sources, 10);
    sources.forEach(({ group, count }, kind) => {
      for (let index = 0; index < count; index++) {
        const [key = 0] = design.keysOf(ORIGIN, group, random);
        if (index < (converting[kind] ?? 0)) design.add(ORIGIN, key, 7);
      }
    });
    for (const { level, group, estimate, low, high } of design.results(7, noise)) {
      const name = `${level} ${group.join(' ')}`.trim();
      totals.set(name, (totals.get(name) ?? 0) + estimate);
      const truth = truths.get(name) ?? NaN;
      held.set(name, (held.get(name) ?? 0) + Number((low ?? NaN) <= truth && truth <= (high ?? NaN)));
    }
  }
  expect([...totals.keys()]).toEqual([...truths.keys()]);
  for (const [name, truth] of truths) {
    // The standard deviation is at most 47 conversions, as NumPy's least squares have it: 6 of the mean of 120 runs are below 26.
    expect(Math.abs((totals.get(name) ?? 0) / RUNS - truth)).toBeLessThan(26);
    // If an interval holds the truth with 0.95, P[at most 98 of 120] < 1e-6.
    expect(held.get(name)).toBeGreaterThan(98);
  }
});

test('a mix of browsers: one with everybody measures as alone; with half of them, about as much, scaled to all', async () => {
  const people = Array.from({ length: 200 }, (_, number) =>
    demoUser('mixed', number).lines.map((line) => {
      const { value } = parseLogLine(line);
      if (value === null) throw new RangeError('a made-up line is wrong');
      return value.event;
    }),
  );
  const logged = new LoggedSources(columns);
  for (const event of people.flat()) logged.add(event);
  const measured = async (share: number | null): Promise<readonly GroupResult[]> => {
    const alone = new W3cMeasurement(null, levels, logged.list(), null);
    const measurement =
      share === null ? alone : new MixedMeasurement(levels, [{ share, measurement: alone }]);
    for (const [number, events] of people.entries())
      await measurement.add(events, seededRandomStreams(`mixed ${number}`));
    return measurement.result().groups;
  };
  const truth = await measured(null);
  expect(truth.find(({ level }) => level === 2)?.estimate).toBeGreaterThan(100);
  expect(await measured(1)).toEqual(truth);
  const half = await measured(0.5);
  const total = half.find(({ level }) => level === 2);
  expect(total?.estimate).not.toBe(truth.find(({ level }) => level === 2)?.estimate);
  const ratio = (total?.estimate ?? 0) / (truth.find(({ level }) => level === 2)?.estimate ?? 1);
  // Not scaled, it is 0.586.
  expect(Math.abs(ratio - 1)).toBeLessThan(0.2);
  const nobody = await measured(0.000_001);
  // Nothing is known of groups without anybody who was measured; 0 ± 0 would be a claim.
  expect(nobody.length).toBe(truth.length);
  for (const group of nobody)
    expect(group).toMatchObject({ estimate: 0, low: null, high: null, variance: null });
});

test('a mix of browsers adds the variances of their noise, and scales them by the square', async () => {
  const { value } = parseLogLine(demoUser('variance', 0).lines[0] ?? {});
  if (value === null) throw new RangeError('a made-up line is wrong');
  const of = (estimate: number, variance: number | null, reach: number | null): Measurement => ({
    add: () => Promise.resolve(),
    result: () => ({
      sources: [],
      groups: [
        {
          level: 0,
          group: [],
          quantity: 'conversions',
          observed: estimate,
          estimate,
          low: reach === null ? null : estimate - reach,
          high: reach === null ? null : estimate + reach,
          variance,
        },
      ],
      counts: [],
      delays: [],
      spent: { units: 0, mean: 0, most: 0 },
    }),
  });
  const mixed = async (other: Measurement): Promise<readonly GroupResult[]> => {
    const measurement = new MixedMeasurement({ columns: [], levels: [[]], confidence: 0.95 }, [
      { share: 0.25, measurement: of(10, 4, 3) },
      { share: 0.25, measurement: other },
    ]);
    // Every second person has a browser that measures.
    for (const word of [0n, 999_999n])
      await measurement.add([value.event], () => ({
        ...seededRandomSource('variance', 0),
        uint64: () => word,
      }));
    return measurement.result().groups;
  };
  expect(await mixed(of(20, 100, 4))).toMatchObject([{ estimate: 60, variance: 416, low: 50, high: 70 }]);
  // What one browser does not say, the sum does not say.
  expect(await mixed(of(20, null, null))).toMatchObject([{ variance: null, low: null, high: null }]);
});
