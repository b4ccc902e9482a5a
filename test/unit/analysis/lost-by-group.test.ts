import { analysesOf } from '../../../analysis/estimate/result/analyses';
import { comparedTotals } from '../../../analysis/estimate/result/comparison';
import { resultJson } from '../../../analysis/estimate/result/result-json';
import { incomparable } from '../../../analysis/estimate/lift/lift-by-trigger-data';
import {
  isUncertain,
  lostReportsOf,
  lostValues,
  unseenLosses,
  type LostReportsJson,
} from '../../../analysis/estimate/result/lost-reports-json';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { lostHeartbeats } from '../../../analysis/estimate/unbiased/heartbeats';
import { estimateByGroup, losingGroups } from '../../../analysis/estimate/unbiased/lost-by-group';
import { arrivalRows, type LostFit } from '../../../analysis/estimate/unbiased/lost-reports';
import type { OutputCounts } from '../../../analysis/estimate/unbiased/response-estimate';
import { mergeConfigurations } from '../../../analysis/estimate/unbiased/tally';
import { StateMeasures } from '../../../analysis/estimate/quantities/state-measures';
import {
  binomial,
  multinomial,
  seededUniform,
} from '../../../analysis/estimate/likelihood/statistical-draws';
import { estimates as english } from '../../../words/english/estimates';
import { estimates as german } from '../../../words/german/estimates';
import { sayer } from '../../../words/say';
import { simulated, type Simulated } from '../../../bench/simulated';
import { configurationOf } from '../helpers/estimates';

const heartbeat = configurationOf({}, 'event', 0);
const options = { level: 0.95, randomness: 'noise', likelihood: false, singles: false } as const;

const views = (reports: number, sources: number): OutputCounts =>
  new Map([
    ['0', sources - reports],
    ['1', Math.ceil(reports / 2)],
    ['2', Math.floor(reports / 2)],
  ]);

const named = (tallies: readonly OutputCounts[]) =>
  tallies.map((tally, index) => ({ group: [String(index)], tally }));

function analysed(
  ads: typeof heartbeat,
  tallies: readonly OutputCounts[],
  heard: readonly OutputCounts[],
  { configuration = heartbeat, likelihood = false } = {},
) {
  const tally = mergeConfigurations([
    { given: 'ads', configuration: ads, groups: named(tallies) },
    { given: 'heartbeats', configuration, groups: named(heard) },
  ]);
  const found = analysesOf(tally, { ...options, likelihood }, false);
  const analysis = found[0]?.analysis;
  const conversions = (analysis?.groups ?? []).map(({ estimates }) =>
    estimates.find(({ quantity }) => quantity.kind === 'conversions'),
  );
  return {
    found,
    lost: analysis?.lost ?? null,
    fits: analysis?.lost?.fits,
    estimates: conversions.map((own) => own?.estimate),
    likely: conversions[0]?.likelihood ?? null,
  };
}

/** In English and in German. */
function said(lost: LostFit | null): readonly string[] {
  if (lost === null) throw new RangeError('reports are lost');
  const values = lostValues(lostReportsOf(lost, ['page']));
  return [sayer('en', english)('lost-reports', values), sayer('de', german)('lost-reports', values)];
}

/* Hardly any noise, so losses are nearly all that estimates make up for. */
const quiet = configurationOf({}, 'event', 8);
const noisy = configurationOf({}, 'event', 2);

test('groups that lose the same share are corrected with what all heartbeats say', () => {
  const groups = Array.from({ length: 100 }, () => null);
  const { lost, estimates } = analysed(
    quiet,
    groups.map(() => views(475, 1000)),
    groups.map(() => views(190, 300)),
  );
  expect(lost?.ofGroups).toBeUndefined();
  expect(lost?.rate).toBeCloseTo(0.05, 6);
  const { estimate = NaN, interval = [NaN, NaN] } = estimates[0] ?? {};
  expect(Math.abs(estimate - 50_000)).toBeLessThan(50);
  expect(interval[0]).toBeLessThan(49_600);
  expect(interval[1]).toBeGreaterThan(50_400);
});

/*
 * If 1 % of runs do by chance, more than 60 of 2,000 do with a probability below 1e-10. About 88 % find a difference of 5 %: at most 60 % of 400 do with
 * one below 1e-30.
 */
test.each([
  [0, 2000, 0, 60],
  [0.05, 2000, 0, 60],
  [0.05, 400, 0.05, 400],
])(
  'heartbeats of two groups tell different shares from equal ones: %s lost, %s runs, %s more',
  (rate, runs, more, most) => {
    const uniform = seededUniform('unlike', most);
    let found = 0;
    for (let run = 0; run < runs; run++) {
      const heard = [rate, rate + more].map((lost) =>
        views(binomial(uniform, 6000, (2 / 3) * (1 - lost)), 6000),
      );
      const lost = lostHeartbeats([{ configuration: heartbeat, groups: named(heard) }], 0.95);
      if (lost?.ofGroups !== undefined) found++;
    }
    expect(found).toBeLessThanOrEqual(most);
    if (more > 0) expect(found).toBeGreaterThan(0.6 * runs);
  },
);

/*
 * Clicks: nearly all noise has three reports, so that losses bring most of the variance. Of 400 runs, 95 % should find the share. The approximations of both
 * χ² distributions, and of the variance, are right to about 3 %: fewer than 86 % or all but two do with a probability below 1e-6.
 */
test.each([
  [2, 500, 0],
  [2, 500, 0.1],
  [5, 200, 0.02],
  [30, 200, 0],
])(
  'the share of one of %s groups that their heartbeats are said to show is found: %s each, %s lost',
  (count, sources, rate) => {
    const silent = simulated('navigation', 0);
    const { counted } = new StateMeasures(silent.configuration.shape).measure({ kind: 'conversions' });
    const states = [[], [0], [0, 0], [0, 0, 0]].map((windows) => silent.stateOf(0, windows));
    const uniform = seededUniform('unseen', count);
    const heardOf = (of: (shares: readonly number[]) => readonly number[], more = 0): LostFit | null => {
      const groups = Array.from({ length: count }, (_, group) => {
        const [shares = []] = arrivalRows(counted?.shares ?? [], 0, group === 0 ? rate + more : rate);
        return new Map(of(shares).map((number, reports) => [states[reports] ?? '', number]));
      });
      return lostHeartbeats([{ configuration: silent.configuration, groups: named(groups) }], 0.95);
    };
    const unseen = heardOf((shares) => shares.map((share) => share * sources))?.unseen ?? NaN;
    let found = 0;
    for (let run = 0; run < 400; run++)
      if (heardOf((shares) => multinomial(uniform, sources, shares), unseen)?.ofGroups !== undefined) found++;
    expect(found / 400).toBeGreaterThan(0.86);
    expect(found).toBeLessThan(399);
  },
);

test('the message says which loss of one group heartbeats would not show', () => {
  const lostOf = (heard: readonly OutputCounts[]): LostReportsJson | null => {
    const lost = lostHeartbeats([{ configuration: heartbeat, groups: named(heard) }], 0.95);
    return lost === null ? null : lostReportsOf(lost, ['page']);
  };
  const saidOf = (heard: readonly OutputCounts[]): readonly (string | null)[] => {
    const values = unseenLosses(lostOf(heard));
    if (values === null) return [null];
    return [sayer('en', english)('unseen-losses', values), sayer('de', german)('unseen-losses', values)];
  };
  expect(saidOf([views(200, 300), views(200, 300)])).toEqual([
    expect.stringMatching(/^If one group lost 2\d % more of its reports/),
    expect.stringMatching(/^Hätte eine Gruppe 2\d % ihrer Berichte mehr verloren/),
  ]);
  expect(saidOf([views(200, 300), views(60, 90)])).toEqual([
    expect.stringMatching(/^The heartbeats cannot show whether some groups lost/),
    expect.stringMatching(/^Die Heartbeats können nicht zeigen, ob einige Gruppen/),
  ]);
  expect(saidOf([views(200, 300)])).toEqual([null]);
  expect(saidOf([views(600, 900), views(400, 900)])).toEqual([null]);
});

test.each([1, 2])('beside heartbeats of %s groups, the message names groups of ads without any', (groups) => {
  const ads = [views(3, 300), views(3, 300), views(3, 300)];
  const heard = Array.from({ length: groups }, () => views(200, 300));
  expect(analysed(quiet, ads, heard).lost).toMatchObject({ rate: 0, unseen: 1, fits: true });
  expect(analysed(quiet, ads.slice(0, groups), heard).lost?.unseen).not.toBe(1);
});

test('one group of ads may have its heartbeats in another group, as they can have a destination to themselves', () => {
  const tallies = mergeConfigurations([
    { given: 'ads', configuration: quiet, groups: [{ group: ['shop'], tally: views(3, 300) }] },
    { given: 'heartbeats', configuration: heartbeat, groups: named([views(200, 300)]) },
  ]);
  expect(lostHeartbeats(tallies, 0.95)).not.toHaveProperty('unseen');
});

test('heartbeats that lost nearly everything show no further loss', () => {
  const lostOf = (heard: readonly OutputCounts[]): LostFit | null =>
    lostHeartbeats([{ configuration: heartbeat, groups: named(heard) }], 0.95);
  expect(lostOf([views(0, 300), views(0, 300)])).toMatchObject({ fits: false });
  expect(lostOf([views(0, 300), views(0, 300)])).not.toHaveProperty('unseen');
  expect(lostOf([views(13, 150), views(13, 150)])).toMatchObject({ fits: true, unseen: 1 });
});

/** The conversions of all groups, by the share that each lost. */
function summed(
  tallies: readonly OutputCounts[],
  heard: readonly OutputCounts[],
  {
    level = options.level,
    called = () => {},
  }: { readonly level?: number; readonly called?: () => void } = {},
) {
  const estimator = estimatorOf(quiet);
  const lost = lostHeartbeats([{ configuration: heartbeat, groups: named(heard) }], level);
  const losing = lost === null ? null : losingGroups(named(tallies), lost);
  if (losing === null) throw new RangeError('the heartbeats of groups must differ');
  const counting: typeof estimator = {
    ...estimator,
    estimate: (...of) => {
      called();
      return estimator.estimate(...of);
    },
  };
  const estimateOf = estimateByGroup(counting, losing);
  const own = { ...options, level };
  for (const { group } of losing) estimateOf({ kind: 'conversions' }, group, own);
  return estimateOf({ kind: 'conversions' }, [], own);
}

/*
 * Of 40 intervals at 95 %, fewer than 28 hold with a probability below 1e-6. A rate that must be refuted group by group is 0 in some that lose 10 %, and
 * a rate that is bounded by 0 group by group is too high in those that lose none.
 */
test('the sum of groups that lose different shares is neither too low nor too high', () => {
  const uniform = seededUniform('lost by group', 1);
  const rates = Array.from({ length: 50 }, (_, group) => (group % 2 === 0 ? 0 : 0.1));
  const runs = Array.from({ length: 40 }, () => {
    const { estimate, interval } = summed(
      rates.map((rate) => views(binomial(uniform, 500, 1 - rate), 1000)),
      rates.map((rate) => views(binomial(uniform, 300, (2 / 3) * (1 - rate)), 300)),
    );
    return { error: estimate - 25_000, holds: interval[0] <= 25_000 && interval[1] >= 25_000, interval };
  });
  expect(runs.filter(({ holds }) => holds).length).toBeGreaterThanOrEqual(28);
  // The standard error of one sum is about 0.6 %, so that of the mean of 40 is about 25.
  expect(Math.abs(runs.reduce((sum, { error }) => sum + error, 0) / runs.length)).toBeLessThan(125);
  const [low = NaN, high = NaN] = runs[0]?.interval ?? [];
  expect(high - low).toBeLessThan(1200);
});

describe('if one of two groups loses 30 %', () => {
  const without = analysed(noisy, [views(320, 1000), views(320, 1000)], [views(600, 900), views(600, 900)], {
    likelihood: true,
  });
  const found = analysed(noisy, [views(224, 1000), views(320, 1000)], [views(420, 900), views(600, 900)], {
    likelihood: true,
  });

  test('each is corrected with its own share, and both together are about their sum', () => {
    const none = without.estimates[1]?.estimate ?? NaN;
    const [all, lossy, complete] = found.estimates;
    expect(lossy?.estimate).toBeCloseTo(none, 6);
    expect(complete?.estimate).toBeCloseTo(none, 6);
    expect(Math.abs((all?.estimate ?? NaN) - 2 * none)).toBeLessThan(1);
    // The errors of both shares do not depend on each other.
    const reach = (own: typeof all): number => (own?.interval[1] ?? NaN) - (own?.estimate ?? NaN);
    expect(reach(all) / Math.hypot(reach(lossy), reach(complete))).toBeCloseTo(1, 1);
    expect(found.likely).toBeNull();
    expect(without.likely).not.toBeNull();
  });

  test('neither ranks above the other', () => {
    const ranks = comparedTotals(found.found, 0.95).flatMap(({ rank }) => (rank === null ? [] : [rank]));
    expect(ranks).toMatchObject([
      { best: 1, worst: 2 },
      { best: 1, worst: 2 },
    ]);
  });

  test('says so, and which lost most', () => {
    const { lost } = found;
    expect(said(lost)).toEqual([
      expect.stringMatching(
        /different shares .* from 0 % to 30 % \(most of all 0\)\. All heartbeats together lost 15 %/,
      ),
      expect.stringMatching(
        /verschiedene Anteile .* von 0 % bis 30 % \(am meisten 0\)\. Alle Heartbeats zusammen haben 15 % verloren/,
      ),
    ]);
  });

  test('the result has the share of each group', () => {
    const unused = {} as never;
    const json = resultJson({
      options,
      groupBy: ['page'],
      asOf: null,
      sources: unused,
      reports: unused,
      configurations: found.found,
    });
    const lost = json.configurations[0]?.lost_reports ?? null;
    expect(lost?.by_group).toMatchObject([
      { group: { page: '0' }, rate: expect.closeTo(0.3, 6) as number },
      { group: { page: '1' }, rate: 0 },
    ]);
    expect(isUncertain(lost)).toBe(true);
    expect(isUncertain({ rate: 0.1, range: [0.1, 0.1], from: 'heartbeats', fits: true })).toBe(false);
    expect(incomparable(json, { exposed: 0, holdout: 1 })).toMatchObject({ kind: 'uncertain-loss' });
  });
});

test('a group with too few heartbeats leaves one share for all', () => {
  const { lost, estimates } = analysed(
    noisy,
    [views(320, 1000), views(320, 1000), views(320, 1000)],
    [views(420, 900), views(600, 900), views(60, 100)],
  );
  expect(lost?.ofGroups?.size).toBe(0);
  expect(estimates[1]?.estimate).toBeCloseTo(estimates[2]?.estimate ?? NaN, 6);
  expect(said(lost)).toEqual([
    expect.stringMatching(/too few heartbeats of their own\. So all .* together lost: 14\.\d %/),
    expect.stringMatching(/zu wenige eigene Heartbeats\. Darum .* verloren haben: 14,\d %/),
  ]);
});

test('the common share counts, and there is no likelihood, even if its range reaches 0', () => {
  const ads = [views(320, 1000), views(320, 1000), views(320, 1000)];
  const heard = [views(200, 300), views(160, 300), views(213, 300)];
  const few = [...heard.slice(0, 2), views(45, 60), views(213, 300)];
  const each = analysed(noisy, ads, heard).lost;
  expect(each?.ofGroups?.size).toBe(3);
  expect(each?.rate).toBeCloseTo(1 - 573 / 600, 6);
  const common = analysed(noisy, [...ads, views(320, 1000)], few, { likelihood: true });
  expect(common.lost).toMatchObject({ rate: expect.closeTo(1 - 618 / 640, 6) as number, fits: true });
  expect(common.lost?.range[0]).toBe(0);
  expect(common.lost?.ofGroups?.size).toBe(0);
  expect(common.likely).toBeNull();
});

test('a configuration with one of the groups has the share of this group', () => {
  const { lost } = analysed(noisy, [views(224, 1000)], [views(420, 900), views(600, 900)]);
  expect(said(lost)).toEqual([
    expect.stringMatching(/^The heartbeats of 0 show that 30 % of its reports never arrived \(from 2\d/),
    expect.stringMatching(/^Die Heartbeats von 0 zeigen, dass 30 % der Berichte dieser Gruppe/),
  ]);
});

/* A heartbeat has a report with probability 2/3. Nothing is drawn of the ads. */
const lossFree = (run: number): readonly [readonly OutputCounts[], readonly OutputCounts[]] => {
  const uniform = seededUniform('loss-free', run);
  const groups = Array.from({ length: 100 }, () => views(binomial(uniform, 300, 2 / 3), 300));
  return [
    [views(300, 1000), ...groups.map(() => views(500, 1000))],
    [views(120, 300), ...groups],
  ];
};

/*
 * One group loses 40 %, so that the groups differ. The standard error of the sum over 100 groups is 10 · 500 · 0.041, so the mean of 12 is off by more than
 * 310 with a probability below 1e-6. If no group with a surplus went on below 0, it would be about 2000 too high; if only those with a range did,
 * 650 at this level.
 */
test('the sum of many groups that lose nothing has no bias at a low level', () => {
  const errors = Array.from({ length: 12 }, (_, run) => {
    const [tallies, heard] = lossFree(run);
    return summed(tallies, heard, { level: 0.5 }).estimate - 500 * 101;
  });
  expect(Math.abs(errors.reduce((sum, error) => sum + error, 0) / errors.length)).toBeLessThan(310);
});

test('the estimate of a larger group does not depend on the level', () => {
  const [tallies, heard] = lossFree(0);
  const [low, high] = [0.8, 0.99].map((level) => summed(tallies, heard, { level }));
  expect(low?.estimate).toBe(high?.estimate);
  expect(low?.interval[1]).toBeLessThan(high?.interval[1] ?? NaN);
});

test('values for the message are of a result, and not of its parts', () => {
  const lost: LostFit = { rate: 0, range: [0, 0.1], from: 'heartbeats', fits: true, ofGroups: new Map() };
  // @ts-expect-error: `ofGroups` would not be seen.
  expect(lostValues(lost)).toMatchObject({ from: 'none' });
  expect(lostValues(lostReportsOf(lost, []))).toMatchObject({ from: 'common' });
});

/* What arrives on average. Nothing is drawn. */
test('ads that lose more than the heartbeats of their groups show it', () => {
  const arrived = (ads: Simulated, converting: number, sources: number, lost: number): OutputCounts => {
    const noise = new StateMeasures(ads.configuration.shape).measure({ kind: 'conversions' }).counted?.shares;
    const replaced =
      ads.configuration.epsilon === 0 ? 1 : (estimatorOf(ads.configuration).replaceProbability ?? NaN);
    const [none = [], one = []] = arrivalRows(noise ?? [], 1 - replaced, lost);
    const windows = [[], [0], [0, 0], [0, 0, 0]];
    return new Map(
      none.map((share, reports) => [
        ads.stateOf(0, windows[reports] ?? []),
        Math.round((sources - converting) * share + converting * (one[reports] ?? NaN)),
      ]),
    );
  };
  const [clicks, silent] = [simulated('navigation', 8), simulated('navigation', 0)];
  const heard = [0, 0.05].map((lost) => arrived(silent, 0, 5000, lost));
  const found = (lost: readonly number[], few: readonly OutputCounts[] = []) =>
    analysed(
      clicks.configuration,
      lost.map((own) => arrived(clicks, 500, 5000, own)),
      [...heard, ...few],
      { configuration: silent.configuration },
    );
  const same = found([0, 0.05]);
  expect(same.lost).toMatchObject({ from: 'heartbeats', fits: true });
  expect(same.lost?.ofGroups?.size).toBe(2);
  const more = found([0.1, 0.1]);
  expect(more.lost).toMatchObject({ from: 'heartbeats', fits: false });
  expect(said(more.lost)[0]).toMatch(/^The heartbeats contradict/);
  // If the third group has hardly any heartbeats, one share corrects all. That it is that of the ads does not make the groups alike.
  const uneven = found([0.045, 0.045, 0.045], [arrived(silent, 0, 20, 0)]);
  expect(uneven.lost).toMatchObject({ from: 'reports', fits: true });
  expect(uneven.lost?.ofGroups?.size).toBe(0);
  expect(said(uneven.lost)).toEqual([
    expect.stringMatching(
      /different shares .* greater loss than the heartbeats\. So all estimates make up for one share/,
    ),
    expect.stringMatching(
      /verschiedene Anteile .* größeren Verlust als die Heartbeats\. Darum gleichen alle/,
    ),
  ]);
});

test('each group is estimated only once for itself and for all', () => {
  let calls = 0;
  const groups = Array.from({ length: 40 }, (_, group) => group);
  summed(
    groups.map(() => views(100, 200)),
    groups.map((group) => views(group % 2 === 0 ? 133 : 100, 200)),
    { called: () => (calls += 1) },
  );
  // And at two other shares, for the slope.
  expect(calls).toBe(3 * 40);
});

test('an estimate without its interval is the same', () => {
  const own = { level: 0.95, randomness: 'noise-and-sampling' } as const;
  const lost = { rate: 0.1, range: [0.05, 0.15], from: 'heartbeats' } as const;
  const estimateOf = (isPoint?: true) =>
    estimatorOf(noisy).estimate({ kind: 'conversions' }, views(320, 1000), {
      ...own,
      lost,
      ...(isPoint === undefined ? {} : { isPoint }),
    });
  const [whole, point] = [estimateOf(), estimateOf(true)];
  expect(whole.interval[1]).toBeGreaterThan(whole.estimate);
  expect(point.interval[1]).toBeNaN();
  expect({ ...point, interval: whole.interval, shared: whole.shared }).toEqual(whole);
});
