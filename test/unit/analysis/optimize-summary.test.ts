import fc from 'fast-check';
import { main } from '../../../cli/main';
import { PastQueries, type PastQuery } from '../../../analysis/optimize/past-queries';
import { leastCost } from '../../../analysis/optimize/split-cost';
import {
  bestSplit,
  equalSplit,
  type SummaryRequest,
  type SummarySplit,
  type WeighedQuery,
} from '../../../analysis/optimize/summary-split';
import { discreteLaplace } from '../../../analysis/noise/discrete-laplace';
import { seededRandomSource } from '../../../analysis/random/sources';
import { Rational } from '../../../src/privacy/rational';
import { useCommands } from '../helpers/command';

/* How queries share the contribution budget of a source: `optimize --summary`. */

const BUDGET = 65_536;

interface Conversion {
  readonly source: number;
  readonly campaign: number;
  readonly value: number;
}

const conversion: fc.Arbitrary<Conversion> = fc.record({
  source: fc.integer({ min: 1, max: 8 }),
  campaign: fc.integer({ min: 1, max: 3 }),
  value: fc.integer({ min: 1, max: 6 }).map((value) => value ** 3),
});

const QUERIES = [
  { measure: null, slices: ['campaign'] },
  { measure: 'value', slices: ['campaign'] },
  { measure: 'value', slices: [] },
];

function pastOf(conversions: readonly Conversion[]): readonly PastQuery[] {
  const past = new PastQueries(QUERIES);
  for (const { source, campaign, value } of conversions)
    past.add(
      String(source),
      () => String(campaign),
      () => value,
    );
  return past.result();
}

const request: fc.Arbitrary<SummaryRequest> = fc
  .record({
    conversions: fc.array(conversion, { minLength: 1, maxLength: 30 }),
    numbers: fc.tuple(
      ...[1, 2, 3].map(() =>
        fc.record({
          weight: fc.double({ min: 0.1, max: 10, noNaN: true }),
          tau: fc.integer({ min: 1, max: 100 }),
        }),
      ),
    ),
    epsilon: fc.double({ min: 0.1, max: 20, noNaN: true }),
    error: fc.constantFrom('mse' as const, 'rmsre' as const),
  })
  .map(({ conversions, numbers, epsilon, error }) => ({
    queries: pastOf(conversions).map((query, index): WeighedQuery => ({
      ...query,
      ...(numbers[index] ?? { weight: 1, tau: 1 }),
    })),
    epsilon,
    error,
  }));

/** The mean squared error of a query, worked out from its definition. */
function squaredError(
  { slices, tau }: WeighedQuery,
  { error, epsilon }: SummaryRequest,
  conversions: number,
  clip: number,
  share: number,
): number {
  const errors = slices.map((slice) => {
    let [truth, counted] = [0, 0];
    for (const { rank, value, count } of slice) {
      truth += value * count;
      if (rank <= conversions) counted += Math.min(value, clip) * count;
    }
    const noise = (clip * conversions) / (share * epsilon);
    const squared = (truth - counted) ** 2 + 2 * noise ** 2;
    return error === 'mse' ? squared : squared / Math.max(tau, truth) ** 2;
  });
  return errors.reduce((sum, one) => sum + one, 0) / errors.length;
}

const STEPS = 12;

/** The least error of all numbers of conversions, all clips, and shares on a grid. */
function leastByTrying(asked: SummaryRequest): number {
  const { queries } = asked;
  const weights = queries.reduce((sum, { weight }) => sum + weight, 0);
  let least = Infinity;
  for (let conversions = 1; conversions <= 20; conversions++)
    for (let first = 1; first < STEPS - 1; first++)
      for (let second = 1; first + second < STEPS; second++) {
        const shares = [first, second, STEPS - first - second].map((part) => part / STEPS);
        const cost = queries.map((query, index) => {
          const clips = new Set(query.slices.flat().map(({ value }) => value));
          const errors = [...clips].map((clip) =>
            squaredError(query, asked, conversions, clip, shares[index] ?? 0),
          );
          return query.weight * Math.min(...errors);
        });
        least = Math.min(least, Math.sqrt(cost.reduce((sum, one) => sum + one, 0) / weights));
      }
  return least;
}

const parts = ({ conversions, queries }: SummarySplit): number =>
  conversions * queries.reduce((sum, { contribution }) => sum + contribution, 0);

test('no split on a grid is better, and none needs more than the budget', () => {
  fc.assert(
    fc.property(request, (asked) => {
      const best = bestSplit(asked);
      expect(parts(best)).toBeLessThanOrEqual(BUDGET);
      // Contributions are whole numbers, the grid's need not be.
      expect(best.error).toBeLessThanOrEqual(leastByTrying(asked) * 1.01);
      expect(best.error).toBeLessThanOrEqual(equalSplit(asked).error * 1.001);
    }),
    { seed: 18, numRuns: 60 },
  );
});

test('the error that it states is that of its definition', () => {
  fc.assert(
    fc.property(request, (asked) => {
      for (const { conversions, queries } of [bestSplit(asked), equalSplit(asked)])
        queries.forEach(({ clip, contribution, error, epsilon }, index) => {
          const share = (contribution * conversions) / BUDGET;
          const query = asked.queries[index];
          if (query === undefined) throw new Error('each query has a split');
          expect(epsilon).toBeCloseTo(share * asked.epsilon, 10);
          const expected = Math.sqrt(squaredError(query, asked, conversions, clip, share));
          expect(Math.abs(error / expected - 1)).toBeLessThan(1e-9);
        });
    }),
    { seed: 18, numRuns: 100 },
  );
});

test('more ε is never worse, and equal queries get equal parts', () => {
  fc.assert(
    fc.property(request, fc.double({ min: 1, max: 5, noNaN: true }), (asked, times) => {
      const more = bestSplit({ ...asked, epsilon: asked.epsilon * times });
      expect(more.error).toBeLessThanOrEqual(bestSplit(asked).error * (1 + 1e-9));
      const [query] = asked.queries;
      if (query === undefined) return;
      const [one, other] = bestSplit({ ...asked, queries: [query, query] }).queries;
      expect(Math.abs((one?.contribution ?? 0) - (other?.contribution ?? 0))).toBeLessThanOrEqual(1);
    }),
    { seed: 18, numRuns: 60 },
  );
});

test('the cheapest choices of all', () => {
  const choice = fc.record({
    fixed: fc.double({ min: 0, max: 10, noNaN: true }),
    root: fc.double({ min: 0, max: 3, noNaN: true }),
  });
  const queries = fc.array(fc.array(choice, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(queries, (given) => {
      let all: readonly (readonly number[])[] = [[]];
      for (const choices of given)
        all = all.flatMap((places) => choices.map((_, place) => [...places, place]));
      const cost = (places: readonly number[]): number => {
        const chosen = places.map((place, index) => given[index]?.[place] ?? { fixed: NaN, root: NaN });
        const sum = (of: 'fixed' | 'root'): number => chosen.reduce((total, one) => total + one[of], 0);
        return sum('fixed') + sum('root') ** 3;
      };
      expect(cost(leastCost(given))).toBeCloseTo(Math.min(...all.map(cost)), 9);
    }),
    { seed: 18 },
  );
});

test('real noise has the error that was foretold', () => {
  const conversions = Array.from({ length: 300 }, (_, index) => ({
    source: index % 200,
    campaign: 1 + (index % 3),
    value: 1 + (index % 40) ** 2,
  }));
  const queries = pastOf(conversions).map((query) => ({ ...query, weight: 1, tau: 1 }));
  const { conversions: room, queries: splits } = bestSplit({ queries, epsilon: 2, error: 'mse' });
  const noise = discreteLaplace(Rational.of(BUDGET).over(Rational.of(2)));
  const random = seededRandomSource('summary split', 0);
  splits.forEach(({ clip, contribution, error }, index) => {
    const slices = queries[index]?.slices ?? [];
    const errors = slices.flatMap((slice) =>
      Array.from({ length: 1500 }, () => {
        let [truth, sum] = [0, 0];
        for (const { rank, value, count } of slice) {
          truth += value * count;
          if (rank <= room) sum += count * Math.round((Math.min(value, clip) * contribution) / clip);
        }
        return (((sum + Number(noise(random))) * clip) / contribution - truth) ** 2;
      }),
    );
    const mean = errors.reduce((sum, one) => sum + one, 0) / errors.length;
    const spread = Math.sqrt(errors.reduce((sum, one) => sum + (one - mean) ** 2, 0)) / errors.length;
    // Five standard errors of the mean of squares: P < 1e-6, and 1 % for values rounded to contributions.
    expect(Math.abs(mean - error ** 2)).toBeLessThan(5 * spread + 0.01 * error ** 2);
  });
});

describe('the command', () => {
  const { out, err, file } = useCommands();
  const PAST = 'source,campaign,price\na,red,20\na,red,30\nb,blue,500\nc,blue,\nd,red,10\n';
  const run = (...args: readonly string[]): Promise<number> =>
    main(['optimize', '--summary', '--csv', file('past.csv', PAST), ...args]);
  const asked = ['--queries', 'conversions/campaign', 'price/campaign', '--source-column', 'source'];

  test('prints a table, or JSON', async () => {
    expect(await run(...asked, '--error', 'rmsre', '--tau', '2,100', '--epsilon', '10')).toBe(0);
    expect(out.splice(0).join('')).toMatch(
      /^conversions of a source that count: 2\nquery .*\nconversions\/campaign .*\nprice\/campaign .*\nRMSRE \S+; with equal parts, no clips and 2: \S+\n$/,
    );
    expect(await run(...asked, '--json')).toBe(0);
    const { best } = JSON.parse(out.splice(0).join('')) as { best: SummarySplit };
    expect(parts(best)).toBeLessThanOrEqual(BUDGET);
    expect(best.queries.map(({ clip }) => clip)).toEqual([1, expect.any(Number)]);
  });

  test.each<[string, readonly string[], string]>([
    ['no queries', [], '--summary: must come with --csv and --queries'],
    ['a query without a measure', ['--queries', '/campaign'], 'must each be a column or "conversions"'],
    ['a column that is not there', ['--queries', 'conversions/shop'], 'shop'],
    [
      'too few weights',
      [...asked, '--weights', '1'],
      '--weights: must have a number for each of 2 queries, has 1',
    ],
    ['a weight of 0', [...asked, '--weights', '1,0'], 'weights'],
    ['no τ', [...asked, '--error', 'rmsre'], '--tau: must come with --error rmsre'],
    [
      'a value that is no number',
      ['--queries', 'campaign'],
      'column "campaign" must be a number of at least 0, was "red"',
    ],
    ['an option of another goal', [...asked, '--values', '0,1'], '--values: must not come with --summary'],
  ])('%s: exit code 2 and one line', async (_, args, message) => {
    err.length = 0;
    expect(await run(...args)).toBe(2);
    expect(err.join('')).toContain(message);
    expect(err.join('').trimEnd()).not.toContain('\n');
  });
});
