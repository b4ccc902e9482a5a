import { analysesOf } from '../../../analysis/estimate/result/analyses';
import { analyse } from '../../../analysis/estimate/result/analysis';
import { CountedJoin, outcomeOf } from '../../../analysis/estimate/join/counted-join';
import { estimatorOf } from '../../../analysis/estimate/unbiased/estimator-of';
import { isHeartbeat, lostHeartbeats } from '../../../analysis/estimate/unbiased/heartbeats';
import {
  arrivalRows,
  type LostFit,
  type LostReports,
} from '../../../analysis/estimate/unbiased/lost-reports';
import type { OutputCounts } from '../../../analysis/estimate/unbiased/response-estimate';
import { rulesOf } from '../../../analysis/estimate/join/joined-groups';
import { mergeConfigurations } from '../../../analysis/estimate/unbiased/tally';
import { moment, seconds } from '../../../src/model/units';
import { losing } from '../../../bench/trial-settings';
import { simulated, type Simulated } from '../../../bench/simulated';
import { StateMeasures } from '../../../analysis/estimate/quantities/state-measures';
import { seededUniform } from '../../../analysis/estimate/likelihood/statistical-draws';
import { seededRandomSource } from '../../../analysis/random/sources';
import { binomialProbabilities } from '../helpers/coverage';
import { configurationOf } from '../helpers/estimates';

const view = configurationOf({}, 'event', 0);
const clicks = simulated('navigation', 0);

const lostIn = (configuration: typeof view, tally: OutputCounts): LostFit | null =>
  lostHeartbeats([{ configuration, groups: [{ group: [], tally }] }], 0.95);

const views = (arrived: number, sources: number): OutputCounts =>
  new Map([
    ['0', sources - arrived],
    ['1', arrived],
  ]);

/** A heartbeat view has a report with probability 2/3, so the number of those that arrive is binomial, and all of them are listed. */
test.each([0, 0.01, 0.05, 0.2, 0.5])('the range holds a share of %s lost with 95 %%, exactly', (lost) => {
  const sources = 300;
  let [held, refused] = [0, 0];
  binomialProbabilities(sources, (2 / 3) * (1 - lost)).forEach((chance, arrived) => {
    if (chance < 1e-12) return;
    const { range, rate, fits } = lostIn(view, views(arrived, sources)) ?? {
      range: [1, 1],
      rate: NaN,
      fits: false,
    };
    if (!fits) refused += chance;
    expect(rate === 0 || (range[0] <= rate && rate <= range[1])).toBe(true);
    if (range[0] <= lost && lost <= range[1]) held += chance;
  });
  expect(held).toBeGreaterThan(0.94);
  expect(refused).toBeLessThan(1e-6);
  // Nothing is below 0, so the range of no loss misses on one side only.
  expect(held).toBeLessThan(lost === 0 ? 0.98 : 0.96);
});

/** @param isLost whether a heartbeat loses everything */
const drawn = (sources: number, run: number, isLost: () => boolean, lost = 0): OutputCounts => {
  const random = seededRandomSource('heartbeats', run);
  const uniform = seededUniform('heartbeats', run);
  const lose = losing(clicks);
  const tally = new Map<string, number>();
  for (let one = 0; one < sources; one++) {
    const response = clicks.respond(random);
    if (response.kind !== 'replaced') throw new Error('heartbeats are noise alone');
    const output = isLost() ? '0' : lose(String(response.state), lost, uniform);
    tally.set(output, (tally.get(output) ?? 0) + 1);
  }
  return tally;
};

/*
 * Of 60 exact 95 % intervals, more than 14 miss with a probability below 1e-6. If all reports of a source were lost independently, ranges would be
 * 0.6 as wide.
 */
test('the range holds the share if sources lose all their reports at once', () => {
  let missed = 0;
  for (let run = 0; run < 60; run++) {
    const uniform = seededUniform('devices', run);
    const { range } = lostIn(
      clicks.configuration,
      drawn(400, run, () => uniform() < 0.1),
    ) ?? { range: [1, 1] };
    if (!(range[0] <= 0.1 && 0.1 <= range[1])) missed += 1;
  }
  expect(missed).toBeLessThanOrEqual(14);
});

test('if hardly any report of the heartbeats arrives, nothing bounds the loss', () => {
  expect(lostIn(view, views(0, 500))).toMatchObject({ rate: 0.95, range: [0.95, 0.95], fits: false });
  expect(lostIn(view, views(14, 500))).toMatchObject({ fits: false });
  expect(lostIn(view, views(40, 500))).toMatchObject({ fits: true });
});

test('nothing counts as lost of heartbeats whose windows are open', () => {
  const join = new CountedJoin();
  const outcome = { ...outcomeOf(rulesOf(view), [], moment(0), seconds(60)), sources: 500 };
  const of = { configuration: { name: 'heartbeats', configuration: view }, group: [] };
  join.add(of, true, outcome);
  expect(lostHeartbeats(join.result(0, moment(0)).configurations, 0.95)).toBeNull();
  join.add(of, false, outcome);
  expect(lostHeartbeats(join.result(0, moment(0)).configurations, 0.95)).toMatchObject({ fits: false });
});

/* Noise gives 333 ± 11 reports. */
test('made-up reports of heartbeats show no loss, but are refused if they are more than noise gives', () => {
  expect(lostIn(view, views(500, 500))).toMatchObject({ rate: 0, range: [0, 0], fits: false });
  expect(lostIn(view, views(385, 500))).toMatchObject({ fits: false });
  expect(lostIn(view, views(360, 500))).toMatchObject({ rate: 0, range: [0, 0], fits: true });
});

test('a source with hardly any ε is no heartbeat, although all is noise to the last digit', () => {
  const configuration = configurationOf({}, 'event', 1e-17);
  const join = new CountedJoin();
  const outcome = outcomeOf(rulesOf(configuration), [], moment(0), seconds(60));
  join.add({ configuration: { name: 'ads', configuration }, group: [] }, false, outcome);
  expect(join.result(0, moment(0)).counts.sources).toMatchObject({ used: 1, heartbeats: 0 });
});

test('reports of values are under way as their delays say, whatever heartbeats show', () => {
  const configuration = configurationOf({}, 'event', 2, {
    kind: 'unbiased',
    values: [0, 10],
    prior: [0.5, 0.5],
  });
  const delays = Array.from({ length: 100 }, (_, due) => [0, 5].map((delay) => ({ due, delay, last: 100 })))
    .flat()
    .filter(({ due, delay, last }) => due + delay <= last)
    .map((times) => ({ ...times, reports: 50 }));
  const counted = { configuration, groups: [{ group: [], tally: new Map([['0', 50]]) }], delays };
  const options = { level: 0.95, randomness: 'noise', likelihood: false, singles: false } as const;
  const heard = { rate: 0.2, range: [0.1, 0.3], from: 'heartbeats', fits: true } as const;
  const { lost } = analyse(counted, { ...options, lost: heard });
  expect(lost).toMatchObject({ from: 'delays', fits: true });
  expect(lost).toEqual(analyse(counted, options).lost);
});

test('few heartbeats say nothing, and all others are no heartbeats', () => {
  expect(lostIn(view, new Map([['1', 140]]))).toBeNull();
  expect(lostIn(view, new Map([['1', 160]]))).toMatchObject({ rate: 0, from: 'heartbeats' });
  expect(isHeartbeat(configurationOf({}, 'event', 1))).toBe(false);
  expect(lostIn(configurationOf({}, 'event', 1), new Map([['1', 1000]]))).toBeNull();
});

describe('estimates beside heartbeats', () => {
  const ads = configurationOf({}, 'event', 2);
  const tally = new Map([
    ['0', 1500],
    ['1', 300],
    ['2', 200],
  ]);
  const analysed = (arrived: number, more: object = {}) =>
    analysesOf(
      mergeConfigurations([
        { given: 'ads', configuration: ads, groups: [{ group: [], tally }] },
        {
          given: 'heartbeats',
          configuration: view,
          groups: [
            {
              group: [],
              tally: views(arrived, 900),
            },
          ],
        },
      ]),
      { level: 0.95, randomness: 'noise', likelihood: true, singles: true, ...more },
      false,
    );
  const conversionsOf = ([own]: ReturnType<typeof analysed>) =>
    own?.analysis.groups[0]?.estimates.find(({ quantity }) => quantity.kind === 'conversions');

  test('make up for the share that heartbeats lost, and are about no heartbeat', () => {
    const found = analysed(540);
    expect(found.map(({ tally: { name } }) => name)).toEqual(['ads']);
    expect(found[0]?.analysis.lost).toMatchObject({ from: 'heartbeats', rate: 1 - 540 / 600, fits: true });
    const plain = conversionsOf(analysed(540, { lost: { rate: 0, range: [0, 0], from: 'given' } }));
    const corrected = conversionsOf(found);
    // 500 reports stand for 500/0.9.
    expect((corrected?.estimate.estimate ?? NaN) - (plain?.estimate.estimate ?? NaN)).toBeCloseTo(
      (500 / 0.9 - 500) / (1 - (found[0]?.analysis.estimator.replaceProbability ?? NaN)),
      6,
    );
    expect(corrected?.likelihood).toBeNull();
  });

  test.each([0, 900])('show no interval if %s of 900 heartbeats have a report', (arrived) => {
    const found = analysed(arrived);
    expect(found[0]?.analysis.lost).toMatchObject({ from: 'heartbeats', fits: false });
    const plain = conversionsOf(analysed(0, { lost: { rate: 0, range: [0, 0], from: 'given' } }))?.estimate;
    expect(conversionsOf(found)?.estimate).toEqual({ ...plain, interval: [NaN, NaN] });
  });

  test('keep everything if no heartbeat seems lost, with intervals that cover what can be lost', () => {
    const found = analysed(600);
    expect(found[0]?.analysis.lost).toMatchObject({ from: 'heartbeats', rate: 0, fits: true });
    const [low = NaN, high = NaN] = conversionsOf(found)?.estimate.interval ?? [];
    const without = conversionsOf(analysed(600, { lost: { rate: 0, range: [0, 0], from: 'given' } }));
    expect(Math.abs(low - (without?.estimate.interval[0] ?? NaN))).toBeLessThan(2);
    expect(high - (without?.estimate.interval[1] ?? NaN)).toBeGreaterThan(10);
    expect(conversionsOf(found)?.likelihood).not.toBeNull();
    const states = found[0]?.analysis.groups[0]?.estimates.filter(
      ({ quantity }) => quantity.kind === 'state',
    );
    expect(states?.map(({ estimate }) => Number.isFinite(estimate.estimate))).toEqual([true, true, true]);
  });
});

/* What arrives on average of ads that lose another share than heartbeats. Nothing is drawn. */
describe('if ads lose another share than heartbeats', () => {
  const NONE_LOST = { rate: 0, range: [0, 0.015], from: 'heartbeats' } as const;
  const arrived = (ads: Simulated, converting: number, sources: number, lost: number): OutputCounts => {
    const { replaceProbability } = estimatorOf(ads.configuration);
    const noise = new StateMeasures(ads.configuration.shape).measure({ kind: 'conversions' }).counted?.shares;
    const [none = [], one = []] = arrivalRows(noise ?? [], 1 - (replaceProbability ?? NaN), lost);
    const windows = [[], [0], [0, 0], [0, 0, 0]];
    return new Map(
      none.map((share, reports) => [
        ads.stateOf(0, windows[reports] ?? []),
        Math.round((sources - converting) * share + converting * (one[reports] ?? NaN)),
      ]),
    );
  };
  const found = (ads: Simulated, tally: OutputCounts, lost: LostReports) => {
    const { configuration } = ads;
    const options = { level: 0.95, randomness: 'noise', likelihood: false, singles: false } as const;
    const analysis = analyse({ configuration, groups: [{ group: [], tally }] }, { ...options, lost });
    const conversions = analysis.groups[0]?.estimates.find(
      ({ quantity: { kind } }) => kind === 'conversions',
    );
    return { lost: analysis.lost, interval: conversions?.estimate.interval ?? [NaN, NaN] };
  };

  test('the numbers of reports of clicks show it, and the interval covers both shares', () => {
    const clicks = simulated('navigation', 8);
    const { lost, interval } = found(clicks, arrived(clicks, 200, 2000, 0.05), NONE_LOST);
    expect(lost).toMatchObject({ from: 'reports', fits: true });
    expect(lost?.range[0]).toBe(0);
    expect(lost?.range[1]).toBeGreaterThan(0.05);
    expect(interval[0]).toBeLessThan(200);
    expect(interval[1]).toBeGreaterThan(200);
  });

  test.each([
    ['more clicks', simulated('navigation', 8), 2000, 0.1, NONE_LOST],
    ['fewer clicks', simulated('navigation', 8), 2000, 0, { ...NONE_LOST, rate: 0.1, range: [0.08, 0.12] }],
    ['so many impressions that noise alone has more', simulated('event', 1), 10_000, 0.25, NONE_LOST],
  ] as const)('there is no interval if they lose %s', (_, ads, sources, share, heard) => {
    const { lost, interval } = found(ads, arrived(ads, sources / 10, sources, share), heard);
    expect(lost?.fits).toBe(false);
    expect(interval).toEqual([NaN, NaN]);
  });

  /* At most one report each: one that is lost looks like no conversion. So docs/estimates.md asks for equal losses. */
  test('impressions do not show it', () => {
    const views = simulated('event', 1);
    const { lost, interval } = found(views, arrived(views, 200, 2000, 0.08), NONE_LOST);
    expect(lost).toMatchObject({ from: 'heartbeats', fits: true });
    expect(interval[1]).toBeLessThan(200);
  });
});
