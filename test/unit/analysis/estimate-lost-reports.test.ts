import fc from 'fast-check';
import { analyse } from '../../../analysis/estimate/result/analysis';
import { lostValues } from '../../../analysis/estimate/result/lost-reports-json';
import { lostOf, sentValues } from '../../../analysis/estimate/unbiased/lost-reports';
import { comparedTotals } from '../../../analysis/estimate/result/comparison';
import { Join } from '../../../analysis/estimate/join/join';
import { estimatesOf } from '../../../analysis/estimate/result/estimates-of';
import type { OutputCounts } from '../../../analysis/estimate/unbiased/response-estimate';
import { countsJson } from '../../../analysis/estimate/result/counts-json';
import { resultJson } from '../../../analysis/estimate/result/result-json';
import { seededUniform } from '../../../analysis/estimate/likelihood/statistical-draws';
import { seededRandomSource } from '../../../analysis/random/sources';
import { simulated } from '../../../bench/simulated';
import { measured } from '../../../bench/trial-settings';
import { SETTINGS } from '../../../bench/trial-table';
import { estimatedRows } from '../../../cli/estimate/rows';
import { seconds } from '../../../src/model/units';
import { ReportSpace } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import { estimates as english } from '../../../words/english/estimates';
import { estimates as german } from '../../../words/german/estimates';
import { sayer } from '../../../words/say';
import { binomialProbabilities } from '../helpers/coverage';
import { configurationOf } from '../helpers/estimates';
import { isLong } from '../helpers/is-long';

test('what arrived stands for what was sent, on average over all losses', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 6 }),
      fc.double({ min: 0, max: 0.5, noNaN: true }),
      (values, lost) => {
        const sent = sentValues(values, lost);
        values.forEach((value, reports) => {
          const mean = binomialProbabilities(reports, 1 - lost).reduce(
            (sum, chance, arrived) => sum + chance * (sent[arrived] ?? NaN),
            0,
          );
          expect(mean).toBeCloseTo(value, 6);
        });
      },
    ),
    { seed: 7, numRuns: 200 },
  );
});

const measuredOf = (name: string, runs: number): ReturnType<typeof measured>[number]['unbiased'] => {
  const setting = SETTINGS.find((other) => other.name === name);
  if (setting === undefined) throw new Error(`there is no setting ${name}`);
  const row = measured(setting, runs).find(({ level }) => level === 'level 0, conversions');
  if (row === undefined) throw new Error('there must be conversions');
  return row.unbiased;
};

/** How often, and how many must hold. Clicks take longer. */
const views = isLong ? ([40, 26] as const) : ([20, 12] as const);
const ofClicks = isLong ? views : ([8, 3] as const);

/*
 * If an interval holds the truth with 95 %, fewer do than these with a probability below 1e-6; the mean of the errors is beyond five of its
 * standard errors with 6e-7. The seeds are fixed. Without the losses in the model, 19 of 40 hold (views), and an eighth (clicks).
 */
test.each([
  ['views, ε = 1, 5 % lost, given', ...views],
  ['views, ε = 1, 10 % lost, 200 of 2,000 counted', ...views],
  ['views, ε = 1, 5 % lost, 500 heartbeats', ...views],
  ['clicks, ε = 8, 5 % lost, given', ...ofClicks],
  ['clicks, ε = 8, 5 % lost, not said', ...ofClicks],
  ['views, ε = 1, 10 % of ids used again', ...views],
  ['views, ε = 1, 9 % of reports still under way', ...views],
  ['clicks, ε = 8, 9 % of reports still under way', ...ofClicks],
] as const)('intervals hold the truth: %s', (name, runs, least) => {
  const { held, shown, count, bias, error } = measuredOf(name, runs);
  expect(shown).toBe(count);
  expect(held).toBeGreaterThanOrEqual(least);
  expect(Math.abs(bias)).toBeLessThan((5 * error) / Math.sqrt(count));
});

/*
 * Impressions at ε = 1 do not show how many reports are lost besides those under way: 18 % missing of 200 conversions look like 10 % of none. So the
 * estimate is too low, but the interval must say what is possible. The seeds are fixed; with the delays alone, 8 of 40 hold, and the error is
 * 369 because one of several equally likely rates is taken.
 */
test('intervals hold the truth if reports are lost besides those under way', () => {
  const [runs, least] = views;
  const { held, shown, error } = measuredOf('views, ε = 1, 10 % lost and 9 % under way', runs);
  expect(shown).toBe(runs);
  expect(held).toBeGreaterThanOrEqual(least);
  expect(error).toBeLessThan(240);
});

const options = { level: 0.95, randomness: 'noise', likelihood: false, singles: true } as const;
const view = configurationOf({}, 'event', 1);
const tally = new Map([
  ['0', 1100],
  ['1', 450],
  ['2', 450],
]);

test('a rate of 0 changes nothing but for rounding', () => {
  const estimatesOf = (lost: object): readonly number[] =>
    (
      analyse(
        { configuration: view, groups: [{ group: [], tally }] },
        { ...options, singles: false, ...lost },
      ).groups[0]?.estimates ?? []
    ).flatMap(({ estimate }) => [estimate.estimate, estimate.variance, estimate.interval[0]]);
  const without = estimatesOf({});
  const zero = estimatesOf({ lost: { rate: 0, range: [0, 0], from: 'given' } });
  expect(zero).toHaveLength(without.length);
  zero.forEach((value, index) => {
    const before = without[index] ?? NaN;
    expect(Math.abs(value - before)).toBeLessThanOrEqual(0.01 * (1 + Math.abs(before)));
  });
});

test('quantities that depend on more than a number of reports have no estimate', () => {
  const [all] = analyse(
    { configuration: view, groups: [{ group: [], tally }] },
    { ...options, lost: lostOf(100, 2000, 0.95) },
  ).groups;
  const single = all?.estimates.find(({ quantity }) => quantity.kind === 'state');
  expect(single?.estimate.estimate).toBeNaN();
  expect(single?.estimate.interval).toEqual([NaN, NaN]);
});

describe('losses that differ', () => {
  const clicks = simulated('navigation', 8, {});
  const space = new ReportSpace(shapeOf(clicks.configuration.shape));
  /** 1000 clicks, of which 100 have a conversion; each report is lost with this probability. */
  const drawn = (lost: number, run: number): OutputCounts => {
    const random = seededRandomSource('differ', run);
    const uniform = seededUniform('differ', run);
    const counts = new Map<string, number>();
    for (let click = 0; click < 1000; click++) {
      const truth = click < 100 ? clicks.stateOf(click % 8, [click % 3]) : '0';
      const response = clicks.respond(random);
      const sent = space.decode(BigInt(response.kind === 'replaced' ? response.state : truth));
      const output = String(space.encode(sent.map((placed) => placed.filter(() => uniform() >= lost))));
      counts.set(output, (counts.get(output) ?? 0) + 1);
    }
    return counts;
  };
  const analysed = (lost: readonly number[], given?: number): ReturnType<typeof analyse> =>
    analyse(
      {
        configuration: clicks.configuration,
        groups: lost.map((share, group) => ({ group: [String(group)], tally: drawn(share, group) })),
      },
      {
        ...options,
        singles: false,
        ...(given === undefined ? {} : { lost: { rate: given, range: [given, given], from: 'given' } }),
      },
    );
  const hasIntervals = ({ groups }: ReturnType<typeof analyse>): boolean =>
    groups.every(({ estimates }) => estimates.every(({ estimate }) => !Number.isNaN(estimate.interval[0])));

  // Before, one rate of 3 % was assumed for all groups: the first was estimated too low, the others too high.
  test('have no intervals if one group lost more than others', () => {
    const found = analysed([0.3, 0, 0, 0, 0]);
    expect(found.lost).toMatchObject({ from: 'reports', fits: false });
    expect(found.mismatches).toEqual([]);
    expect(hasIntervals(found)).toBe(false);
  });

  test.each([
    ['too small', 0.2, 0.01],
    ['0', 0.2, 0],
    ['too large', 0, 0.2],
  ])('have no intervals if the given rate is %s', (_, real, given) => {
    const found = analysed([real, real], given);
    expect(found.lost).toMatchObject({ from: 'given', fits: false });
    expect(hasIntervals(found)).toBe(false);
  });

  test.each([undefined, 0.05])('have intervals if all groups lost the same share (given: %s)', (given) => {
    const found = analysed([0.05, 0.05, 0.05], given);
    expect(found.lost).toMatchObject({ fits: true });
    expect(hasIntervals(found)).toBe(true);
  });
});

test('groups are ranked although single states have no estimate', () => {
  const groups = ['a', 'b'].map((name) => ({ group: [name], tally }));
  const tallied = { name: 'views', given: null, configuration: view, groups };
  const analysis = analyse(tallied, { ...options, lost: lostOf(100, 2000, 0.95) });
  const ranks = comparedTotals([{ tally: tallied, analysis }], 0.95).map(({ rank, unranked }) => [
    rank,
    unranked,
  ]);
  const tied = [{ best: 1, worst: 2, tied: 1 }, null];
  expect(ranks).toEqual([[null, null], tied, tied]);
});

test('rows say that nothing makes up for lost reports, and call only forged ones a mismatch', () => {
  const tallied = { name: 'views', given: null, configuration: view, groups: [{ group: [], tally }] };
  const given = { ...options, lost: lostOf(100, 2000, 0.95) };
  const counted = { configurations: [tallied], groupBy: [], asOf: null, skew: 60 };
  const result = estimatesOf(
    {
      ...counted,
      ...countsJson(new Join({ skew: seconds(60), completeUntil: null }).result().counts, new Map()),
    },
    given,
  );
  const rows = estimatedRows(resultJson(result));
  expect(rows.find(({ quantity }) => quantity === 'state')).toMatchObject({
    estimate: null,
    problem: 'lost-reports',
  });
  expect(rows.find(({ quantity }) => quantity === 'conversions')).toMatchObject({ problem: null });
});

test.each([
  [
    'given',
    true,
    /^As given, 5 % .* \(from 4 % to 6 %\)\. The estimates make up for them/,
    /^Wie angegeben sind 5 %/,
  ],
  ['reports', true, /^The numbers of reports show .*: 5 %/, /^Die Zahlen der Berichte zeigen/],
  [
    'given',
    false,
    /contradict the given 5 % .* no estimate is shown/,
    /widersprechen dem angegebenen Anteil von 5 %/,
  ],
  [
    'heartbeats',
    true,
    /^The heartbeats show that 5 % .* \(from 4 % to 6 %\)/,
    /^Die Heartbeats zeigen, dass 5 %/,
  ],
  [
    'heartbeats',
    false,
    /^The heartbeats contradict .* \(5 %, from 4 % to 6 %\) .* no estimate is shown/,
    /^Die Heartbeats widersprechen .* \(5 %, von 4 % bis 6 %\)/,
  ],
  ['delays', true, /5 % of the reports are still under way/, /5 % der Berichte noch unterwegs/],
  [
    'reports',
    false,
    /fit neither the noise nor a loss that is equally likely for each report.* no estimate is shown/,
    /passen weder zum Rauschen noch zu einem Verlust/,
  ],
] as const)('says what is known of losses: %s, %p', (from, fits, inEnglish, inGerman) => {
  const values = lostValues({ rate: 0.05, range: [0.04, 0.06], from, fits });
  expect(sayer('en', english)('lost-reports', values)).toMatch(inEnglish);
  expect(sayer('de', german)('lost-reports', values)).toMatch(inGerman);
});

test('says how many reports can be lost if no heartbeat is', () => {
  const values = lostValues({ rate: 0, range: [0, 0.02], from: 'heartbeats', fits: true });
  expect(sayer('en', english)('lost-reports', values)).toMatch(/show no lost report, but up to 2 % can be/);
  expect(sayer('de', german)('lost-reports', values)).toMatch(
    /zeigen keinen verlorenen Bericht, aber bis zu 2 %/,
  );
});

test('writes shares as the language does', () => {
  const values = lostValues({ rate: 0.2079, range: [0.1, 0.3], from: 'reports', fits: true });
  expect(sayer('en', english)('lost-reports', values)).toMatch(/: 20\.8 % \(from 10 % to 30 %\)/);
  expect(sayer('de', german)('lost-reports', values)).toMatch(/: 20,8 % \(von 10 % bis 30 %\)/);
});

test('says that hardly any report of the heartbeats arrived', () => {
  const values = lostValues({ rate: 0.95, range: [0.9, 0.95], from: 'heartbeats', fits: false });
  expect(sayer('en', english)('lost-reports', values)).toMatch(/^Hardly any .* no estimate is shown/);
  expect(sayer('de', german)('lost-reports', values)).toMatch(/^Von den Heartbeats ist kaum ein Bericht/);
});

test('a counted share has an interval of its own', () => {
  const { rate, range } = lostOf(100, 2000, 0.95);
  expect(rate).toBe(0.05);
  // By Wilson's formula.
  expect(range[0]).toBeCloseTo(0.04128, 4);
  expect(range[1]).toBeCloseTo(0.06047, 4);
});
