import fc from 'fast-check';
import { LAST_SECOND, PastConversions } from '../../../analysis/optimize/past-conversions';
import { bestWindows } from '../../../analysis/optimize/report-windows';
import { instances } from '../helpers/mechanisms';

/** How long the conversions wait on average, or null when one comes after the last window. */
function meanWait(delays: ReadonlyMap<number, number>, ends: readonly number[]): number | null {
  let [wait, conversions] = [0, 0];
  for (const [delay, count] of delays) {
    const end = ends.find((candidate) => delay < candidate);
    if (end === undefined) return null;
    wait += count * (end - delay);
    conversions += count;
  }
  return wait / conversions;
}

/** By trying all sets of so many ends, each a second after a delay or the least that is allowed. */
function exhaustive(delays: ReadonlyMap<number, number>, windows: number): number {
  const ends = [...new Set([...delays.keys()].map((delay) => Math.max(3600, delay + 1)))].sort(
    (a, b) => a - b,
  );
  let best = Infinity;
  for (let chosen = 0; chosen < 2 ** ends.length; chosen++) {
    const subset = ends.filter((_, index) => ((chosen >> index) & 1) === 1);
    if (subset.length <= windows) best = Math.min(best, meanWait(delays, subset) ?? Infinity);
  }
  return best;
}

test('no windows wait less than the best ones, on 200 random lists of delays', () => {
  const below = instances('windows');
  for (let instance = 0; instance < 200; instance++) {
    const delays = new Map<number, number>();
    for (let size = 1 + below(8); size > 0; size--) delays.set(below(20_000), 1 + below(9));
    const windows = 1 + below(5);
    const found = bestWindows(delays, windows);
    expect(found.meanWait).toBeCloseTo(exhaustive(delays, windows), 6);
    expect(found.meanWait).toBeCloseTo(meanWait(delays, found.ends) ?? NaN, 6);
  }
});

test('windows obey the rules of a registration, for any delays, and lose none', () => {
  const delays = fc.array(fc.tuple(fc.nat(LAST_SECOND - 1), fc.integer({ min: 1, max: 1e6 })), {
    minLength: 1,
    maxLength: 400,
  });
  fc.assert(
    fc.property(delays, fc.integer({ min: 1, max: 5 }), (list, windows) => {
      const { ends, meanWait: wait } = bestWindows(new Map(list), windows);
      expect(ends.length).toBeGreaterThanOrEqual(1);
      expect(ends.length).toBeLessThanOrEqual(windows);
      expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b));
      expect(ends[0]).toBeGreaterThanOrEqual(3600);
      expect(ends.at(-1)).toBeLessThanOrEqual(LAST_SECOND);
      expect(wait).toBeCloseTo(meanWait(new Map(list), ends) ?? NaN, 3);
    }),
    { seed: 11, numRuns: 60 },
  );
});

test('more windows never wait longer, and there are no more than can differ', () => {
  const delays = new Map([
    [100, 5],
    [3599, 1],
    [90_000, 2],
    [400_000, 1],
  ]);
  expect([1, 2, 3, 4].map((windows) => bestWindows(delays, windows).ends)).toEqual([
    [400_001],
    [90_001, 400_001],
    [3600, 90_001, 400_001],
    [3600, 90_001, 400_001],
  ]);
});

describe('past conversions', () => {
  test('count sums and delays, and as none what came too late', () => {
    const past = new PastConversions();
    past.add(0, null);
    past.add(0, 5);
    past.add(7, 100.9);
    past.add(7, 100);
    past.add(9, null);
    past.add(9, LAST_SECOND - 0.5);
    past.add(9, LAST_SECOND);
    expect(past.sources).toBe(7);
    expect(past.late).toBe(1);
    expect(Object.fromEntries(past.values)).toEqual({ 0: 3, 7: 2, 9: 2 });
    expect(Object.fromEntries(past.delays)).toEqual({ 100: 2, [LAST_SECOND - 1]: 1 });
  });
});
