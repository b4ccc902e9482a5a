import fc from 'fast-check';
import { analyse, type Analysis } from '../../../analysis/estimate/result/analysis';
import type { Configuration } from '../../../analysis/estimate/quantities/configuration';
import { responseRates } from '../../../analysis/estimate/intervals/channel';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import type { Interval } from '../../../analysis/estimate/intervals/interval';
import { Support } from '../../../analysis/estimate/likelihood/output-model';
import { likelihoodOf } from '../../../analysis/estimate/likelihood/likelihood';
import type { Quantity } from '../../../analysis/estimate/quantities/quantities';
import type { GroupTally } from '../../../analysis/estimate/unbiased/tally';
import { labelEvidence } from '../../../analysis/estimate/likelihood/training-weights';
import { epsilon as epsilonOf } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';
import { exactCoverage } from '../helpers/coverage';
import { configurationOf, drawTally, samplerOf, truthsOf } from '../helpers/estimates';
import { isLong, itInSoak } from '../helpers/is-long';

const OPTIONS = { level: 0.95, randomness: 'noise', likelihood: true, singles: false } as const;

const analysed = (configuration: Configuration, groups: readonly GroupTally[]): Analysis =>
  analyse({ configuration, groups }, OPTIONS);

const drawn = (
  configuration: Configuration,
  truths: ReadonlyMap<number, number>,
  seed: string,
  stream = 0,
): ReadonlyMap<string, number> =>
  drawTally(samplerOf(configuration), truths, seededRandomSource(seed, stream));

/** Without the test of fit. @param kinds the quantities that matter; by default all */
function intervalsOf(
  configuration: Configuration,
  tally: ReadonlyMap<string, number>,
  ...kinds: readonly Quantity['kind'][]
): readonly { readonly quantity: Quantity; readonly interval: Interval }[] {
  const estimator = estimatorOf(configuration);
  const { likelihood } = estimator;
  if (likelihood === null) throw new Error('randomized response has a likelihood');
  const measures = likelihood.measures.filter(
    ({ quantity: { kind } }) => kinds.length === 0 || kinds.includes(kind),
  );
  const found = likelihoodOf({ ...likelihood, measures }, [{ group: [], tally }], OPTIONS, (quantity) =>
    estimator.estimate(quantity, tally, OPTIONS),
  ).estimates();
  if (found === null) throw new Error('there is no number for a group');
  const [estimates = []] = found;
  return measures.map(({ quantity }, index) => ({
    quantity,
    interval: estimates[index]?.interval ?? [NaN, NaN],
  }));
}

const flexible = {
  trigger_specs: [{ trigger_data: [0, 1], summary_buckets: [5, 10] }],
  event_report_windows: { end_times: [3600, 86_400] },
};

/** Of 2000 clicks, one in ten has one report: each trigger data in the first window. The states are numbered as in docs/estimate-methods.md. */
const click = configurationOf({}, 'navigation', 8);
const WINDOW_ENDS = [172_800, 604_800, 2_592_000];
const single = (triggerData: number): number => stateWith([[triggerData, 172_800]]);
const triple = (triggerData: number): number =>
  stateWith([
    [triggerData, 172_800],
    [triggerData, 172_800],
    [triggerData, 604_800],
  ]);

const clickMeasures = estimatorOf(click).likelihood?.measures ?? [];
/** The states of a click by what they add to each measure. */
const statesByMeasures = new Map(
  Array.from({ length: 2925 }, (_, state): [string, number] => [
    clickMeasures.map(({ adds }) => adds(String(state))).join(),
    state,
  ]),
);

/** The number of the state with exactly these reports. */
function stateWith(reports: readonly (readonly [triggerData: number, windowEnd: number])[]): number {
  const state = statesByMeasures.get(clickMeasures.map(({ quantity }) => sumOf(quantity, reports)).join());
  if (state === undefined) throw new Error('there is no such state');
  return state;
}

function sumOf(quantity: Quantity, reports: readonly (readonly [number, number])[]): number {
  if (quantity.kind === 'conversion-rate') return reports.length > 0 ? 1 : 0;
  return reports.filter(
    ([data, end]) =>
      (!('triggerData' in quantity) || quantity.triggerData === data) &&
      (!('windowEnd' in quantity) || quantity.windowEnd === end),
  ).length;
}

const eachData = (state: (triggerData: number) => number): ReadonlyMap<number, number> =>
  new Map([[0, 1800], ...Array.from({ length: 8 }, (_, data): [number, number] => [state(data), 25])]);

test('a step of expectation maximisation never lowers the likelihood', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(configurationOf(flexible, 'navigation', 2), configurationOf({}, 'navigation', 4)),
      fc.dictionary(fc.integer({ min: 0, max: 26 }).map(String), fc.integer({ min: 1, max: 50 }), {
        minKeys: 1,
      }),
      (configuration, counts) => {
        const response = estimatorOf(configuration).likelihood?.response;
        if (response === undefined) throw new Error('randomized response has a likelihood');
        const support = new Support((output) => response.composition(output));
        const observed = support.countsOf(new Map(Object.entries(counts)));
        let before = support.expect(response, observed, support.even());
        for (let step = 0; step < 20; step++) {
          const after = support.expect(response, observed, before.margins);
          expect(after.logLikelihood).toBeGreaterThanOrEqual(before.logLikelihood - 1e-9);
          before = after;
        }
      },
    ),
    { seed: 5, numRuns: 50 },
  );
});

test('without noise, the likeliest numbers are the counts, of every group', () => {
  const configuration = configurationOf(flexible, 'navigation', 700);
  const groups = ['a', 'b', 'c'].map((group, index) => ({
    group: [group],
    tally: new Map([
      ['0', 10 + 40 * index],
      ['1', 3 * index],
      ['5', 2],
    ]),
  }));
  const { groups: found } = analysed(configuration, groups);
  for (const { estimates } of found)
    for (const { estimate, likelihood } of estimates)
      expect(likelihood?.estimate).toBeCloseTo(estimate.observed, 6);
});

test('groups add up, nothing is negative, and no group has more than it can', () => {
  const configuration = configurationOf(flexible, 'navigation', 2);
  const truths = new Map([
    [0, 90],
    [3, 10],
  ]);
  const groups = ['a', 'b'].flatMap((campaign) =>
    ['x', 'y'].map((creative, index) => ({
      group: [campaign, creative],
      tally: drawn(configuration, truths, campaign, index),
    })),
  );
  const { fits, groups: found } = analysed(configuration, groups);
  expect(fits).toBe(true);
  for (const whole of found) {
    const parts = found.filter(
      ({ group }) =>
        group.length === whole.group.length + 1 && whole.group.every((name, at) => group[at] === name),
    );
    whole.estimates.forEach(({ quantity, likelihood }, index) => {
      const scale = quantity.kind === 'conversion-rate' ? whole.sources : 1;
      const sum = parts.reduce((total, { sources, estimates }) => {
        const part = estimates[index]?.likelihood?.estimate ?? NaN;
        return total + part * (quantity.kind === 'conversion-rate' ? sources : 1);
      }, 0);
      if (parts.length > 0) expect(sum).toBeCloseTo((likelihood?.estimate ?? NaN) * scale, 6);
      const [low = NaN, high = NaN] = likelihood?.interval ?? [];
      expect(low).toBeGreaterThanOrEqual(0);
      expect(likelihood?.estimate).toBeGreaterThanOrEqual(low);
      expect(likelihood?.estimate).toBeLessThanOrEqual(high);
    });
    const [rate = NaN, conversions = NaN] = whole.estimates.map(({ likelihood }) => likelihood?.estimate);
    expect(rate * whole.sources).toBeLessThanOrEqual(conversions + 1e-9);
    expect(conversions).toBeLessThanOrEqual(3 * rate * whole.sources + 1e-9);
  }
});

test('where the model fits, errors are a fraction of those of the unbiased estimates', () => {
  const truths = eachData(single);
  const truthOf = truthsOf(click, truths);
  const errors = { unbiased: 0, likelihood: 0 };
  for (let run = 0; run < 3; run++) {
    const { fits, groups } = analysed(click, [{ group: [], tally: drawn(click, truths, 'errors', run) }]);
    expect(fits).toBe(true);
    for (const { quantity, estimate, likelihood } of groups[0]?.estimates ?? []) {
      if (quantity.kind !== 'trigger-data') continue;
      errors.unbiased += (estimate.estimate - truthOf(quantity)) ** 2;
      errors.likelihood += ((likelihood?.estimate ?? NaN) - truthOf(quantity)) ** 2;
    }
  }
  // The ratio of mean squares is some 16; that of 24 errors each is below 4 with a probability below 1e-6.
  expect(errors.unbiased / errors.likelihood).toBeGreaterThan(4);
});

test('where the model does not fit, there are only the unbiased estimates', () => {
  const { fits, groups } = analysed(click, [{ group: [], tally: drawn(click, eachData(triple), 'misfit') }]);
  expect(fits).toBe(false);
  expect(groups[0]?.estimates.every(({ likelihood }) => likelihood === null)).toBe(true);
});

itInSoak('intervals hold the truth as often as they say', () => {
  // Of 60 exact 95 % intervals more than 14 miss with a probability below 1e-6, and of 200 more than 27.
  const [runs, most] = isLong ? [200, 27] : [60, 14];
  const view = configurationOf({}, 'event', 2);
  const truths = new Map([
    [0, 240],
    [1, 40],
    [2, 20],
  ]);
  const truthOf = truthsOf(view, truths);
  const missed = new Map<string, number>();
  for (let run = 0; run < runs; run++) {
    for (const { quantity, interval } of intervalsOf(view, drawn(view, truths, 'coverage', run))) {
      const [low, high] = interval;
      const truth = truthOf(quantity);
      const key = JSON.stringify(quantity);
      missed.set(key, (missed.get(key) ?? 0) + (low <= truth + 1e-9 && truth <= high + 1e-9 ? 0 : 1));
    }
  }
  expect(missed.size).toBeGreaterThan(0);
  for (const [quantity, times] of missed) expect([quantity, times <= most]).toEqual([quantity, true]);
});

itInSoak('intervals hold truths of several reports each, although most noise looks like them', () => {
  // Of 6 exact 95 % intervals all miss with a probability below 1e-7, and of 24 more than 9 with one below 1e-6. The mean of their errors in
  // standard errors is beyond 5/√runs with 6e-7. With priors against several reports, 11 of 24 missed, all on one side: the mean of 6 notices
  // that four times in ten.
  const [runs, most] = isLong ? [24, 9] : [6, 5];
  const truths = new Map([[0, 1820], ...several(20, 40, 120)]);
  const truthOf = truthsOf(click, truths);
  const missed = new Map<string, number>();
  const errors = new Map<string, number>();
  for (let run = 0; run < runs; run++)
    for (const { quantity, interval } of intervalsOf(
      click,
      drawn(click, truths, 'several', run),
      'conversion-rate',
      'conversions',
    )) {
      const [low, high] = interval;
      const truth = truthOf(quantity);
      const error = (1.96 * (low + high - 2 * truth)) / (high - low);
      errors.set(quantity.kind, (errors.get(quantity.kind) ?? 0) + error / runs);
      if (low > truth + 1e-9 || truth > high + 1e-9)
        missed.set(quantity.kind, (missed.get(quantity.kind) ?? 0) + 1);
    }
  expect(errors.size).toBe(2);
  for (const error of errors.values()) expect(Math.abs(error)).toBeLessThan(5 / Math.sqrt(runs));
  expect(missed.get('conversion-rate') ?? 0).toBeLessThanOrEqual(most);
  expect(missed.get('conversions') ?? 0).toBeLessThanOrEqual(most);
});

/** Clicks with one report, two and three: as many as it says, of trigger data and windows in turn. */
function several(...clicks: readonly number[]): readonly (readonly [state: number, clicks: number])[] {
  const states = clicks.flatMap((count, index) =>
    Array.from({ length: count }, (_, click) =>
      stateWith(
        Array.from({ length: index + 1 }, (_, report): [number, number] => {
          const cell = (click * (2 * report + 1) + 5 * report) % 24;
          return [cell % 8, WINDOW_ENDS[Math.floor(cell / 8)] ?? NaN];
        }),
      ),
    ),
  );
  const counts = new Map<number, number>();
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1);
  return [...counts];
}

/**
 * The exact coverage of the conversions of views, for every true number: that of observed ones is the sum of two binomial numbers, and the
 * seeds of intervals are fixed.
 */
function coverageOfViews(epsilon: number, sources: number): readonly number[] {
  const view = configurationOf({}, 'event', epsilon);
  const intervals = Array.from({ length: sources + 1 }, (_, reports): Interval => {
    const tally = new Map([
      ['0', sources - reports],
      ['1', Math.ceil(reports / 2)],
      ['2', Math.floor(reports / 2)],
    ]);
    for (const [output, count] of tally) if (count === 0) tally.delete(output);
    return intervalsOf(view, tally, 'conversions')[0]?.interval ?? [NaN, NaN];
  });
  const { keep } = responseRates(3, epsilonOf(epsilon));
  const made = (1 - keep) * (2 / 3);
  return exactCoverage(intervals, { stays: keep + made, arises: made });
}

test.each(isLong ? [1, 2, 4] : [1])(
  '95 %% intervals of views at ε = %d hold every truth often enough',
  (epsilon) => {
    const sources = isLong ? 100 : 60;
    const coverage = coverageOfViews(epsilon, sources);
    // With one flat prior it was 79.8 % at ε = 1, where nobody has a conversion.
    expect(Math.min(...coverage)).toBeGreaterThan(0.94);
    // Near none and near all, only one end can miss.
    const inside = coverage.slice(0.2 * sources, 0.8 * sources);
    expect(inside.reduce((a, b) => a + b, 0) / inside.length).toBeLessThan(0.985);
  },
);

/* Exact, so 95 % is the bound: 96.2 % is the least. From the draws alone, not as far from the estimate, it is 94.5 %; with the sparse prior alone 94.0 %. */
test('95 % intervals of 30 views at ε = 2 hold every truth with 95 %', () => {
  expect(Math.min(...coverageOfViews(2, 30))).toBeGreaterThanOrEqual(0.95);
});

itInSoak('intervals of cells hold truths that are spread over all cells, and those in one cell', () => {
  const config = configurationOf({ trigger_data: [0, 1, 2, 3] }, 'navigation', 4);
  const { measures = [] } = estimatorOf(config).likelihood ?? {};
  const conversions = measures.findIndex(({ quantity }) => quantity.kind === 'conversions');
  const states = Number(estimatorOf(config).likelihood?.response.outputs);
  const singles = Array.from({ length: states }, (_, state) => state).filter(
    (state) => measures[conversions]?.adds(String(state)) === 1,
  );
  for (const taken of [singles, singles.slice(0, 1)]) {
    const each = 60 / taken.length;
    const truths = new Map([[0, 540], ...taken.map((state): [number, number] => [state, each])]);
    const truthOf = truthsOf(config, truths);
    let [held, count] = [0, 0];
    for (let run = 0; run < (isLong ? 20 : 5); run++)
      for (const { quantity, interval } of intervalsOf(
        config,
        drawn(config, truths, 'cells', run),
        'trigger-data-and-window',
      )) {
        const [low, high] = interval;
        const truth = truthOf(quantity);
        count += 1;
        held += low <= truth + 1e-9 && truth <= high + 1e-9 ? 1 : 0;
      }
    // One sparse prior holds 83 % of those that are spread. In 300 runs, 1 of 3,600 missed; if 1 in 100 did, 8 or more of 60 would with a probability of 2e-7.
    expect(held / count).toBeGreaterThan(0.87);
  }
});

/*
 * Nothing is drawn: the number of sources without a report, and that of all reports, is so many standard deviations from its mean, and all outputs with
 * it. So an interval of 95 % must hold.
 */
test('intervals hold where next to nothing is known, and the likeliest model is at a bound', () => {
  const config = configurationOf(
    { trigger_data: [0, 1, 2, 3], event_report_window: 86_400 },
    'navigation',
    1,
  );
  const { measures = [], response } = estimatorOf(config).likelihood ?? {};
  if (response === undefined) throw new Error('randomized response has a likelihood');
  const [, conversions, ...data] = measures.slice(0, 6);
  const states = Array.from({ length: 35 }, (_, state) => state);
  const reportsOf = (state: number): number => conversions?.adds(String(state)) ?? NaN;
  // State 0 has no report; one source in ten has one report, of each data as often. 47 of 1000 sources keep their truth.
  const truths = new Map([
    [0, 900],
    ...data.map(({ adds }): [number, number] => [
      states.find((state) => reportsOf(state) === 1 && adds(String(state)) === 1) ?? NaN,
      25,
    ]),
  ]);
  const means = states.map(
    (state) => response.keep * (truths.get(state) ?? 0) + (1000 / 35) * (1 - response.keep),
  );
  const missed = [(state: number) => (state === 0 ? -1 : 0), reportsOf].flatMap((of) =>
    [-1.9, -1.5, 0, 1.5, 1.9].flatMap((deviations) =>
      intervalsOf(config, deviating(means, of, deviations), 'conversion-rate', 'conversions').filter(
        ({ quantity, interval: [low, high] }) => {
          const truth = quantity.kind === 'conversion-rate' ? 0.1 : 100;
          return !(low <= truth && truth <= high);
        },
      ),
    ),
  );
  // With the flat prior alone, five miss.
  expect(missed).toEqual([]);
});

/** The outputs of 1000 sources whose sum of `of` is so many standard deviations from its mean, as near to their means as that allows. */
function deviating(
  means: readonly number[],
  of: (state: number) => number,
  deviations: number,
): ReadonlyMap<string, number> {
  const mean = means.reduce((sum, count, state) => sum + (count * of(state)) / 1000, 0);
  const variance = means.reduce((sum, count, state) => sum + count * (of(state) - mean) ** 2, 0);
  let rest = 0;
  return new Map(
    means.map((count, state) => {
      const own = count * (1 + (deviations * (of(state) - mean)) / Math.sqrt(variance)) + rest;
      rest = own - Math.round(own);
      return [String(state), Math.round(own)];
    }),
  );
}

test('small groups that are alike are shrunk towards each other, and large ones that differ are not', () => {
  const view = configurationOf({}, 'event', 2);
  const rates = (small: boolean): readonly number[] =>
    Array.from({ length: 20 }, (_, index) => (small ? 4 : index % 2 === 0 ? 100 : 1400));
  const error = (small: boolean): { readonly unbiased: number; readonly likelihood: number } => {
    const sizes = small ? 40 : 2000;
    const groups = rates(small).map((converted, index) => ({
      group: [String(index).padStart(2, '0')],
      tally: drawn(
        view,
        new Map([
          [0, sizes - converted],
          [1, converted],
        ]),
        'groups',
        index,
      ),
    }));
    const sums = { unbiased: 0, likelihood: 0 };
    analysed(view, groups)
      .groups.slice(1)
      .forEach(({ estimates }, index) => {
        const found = estimates.find(({ quantity }) => quantity.kind === 'conversions');
        const truth = rates(small)[index] ?? NaN;
        sums.unbiased += ((found?.estimate.estimate ?? NaN) - truth) ** 2;
        sums.likelihood += ((found?.likelihood?.estimate ?? NaN) - truth) ** 2;
      });
    return sums;
  };
  const [alike, different] = [error(true), error(false)];
  expect(alike.likelihood).toBeLessThan(alike.unbiased / 3);
  expect(different.likelihood).toBeLessThan(different.unbiased * 1.3);
});

test('a label says how likely it is the truth, and what it says about a conversion', () => {
  const view = configurationOf({}, 'event', 1);
  const response = estimatorOf(view).likelihood?.response;
  if (response === undefined) throw new Error('randomized response has a likelihood');
  const uniform = (1 - response.keep) / 3;
  // What 80 %, 15 % and 5 % of the sources look like on average.
  const shares = [0.8, 0.15, 0.05].map((share) => response.keep * share + uniform);
  const evidence = labelEvidence(
    response,
    new Map(shares.map((share, label) => [String(label), 1e6 * share])),
  );
  expect(evidence('1')?.kept).toBeCloseTo((response.keep * 0.15) / (shares[1] ?? NaN), 3);
  expect(evidence('0')?.ratio).toBeCloseTo(uniform / (response.keep + uniform), 3);
  expect(evidence('2')?.ratio).toBeCloseTo(((response.keep * 0.05) / 0.2 + uniform) / uniform, 2);
  expect(evidence('7')).toBeNull();
});
