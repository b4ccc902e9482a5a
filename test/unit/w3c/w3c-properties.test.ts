import { days, hours, minutes, moment, type Moment } from '../../../src/model/units';
import { Rational } from '../../../src/privacy/rational';
import { type RandomSource } from '../../../src/privacy/random-source';
import { shuffle, uniformBelow } from '../../../src/privacy/uniform';
import { AttributionApi } from '../../../analysis/w3c/attribution-api';
import type { BudgetKind } from '../../../w3c/documents';
import { fairlyAllocateCredit } from '../../../w3c/credit';
import { defaultLimits, EPOCH } from '../../../w3c/limits';
import type { Call } from '../../../w3c/matching';
import type { ConversionOptions, ImpressionOptions } from '../../../w3c/options';
import { seededRandomSource } from '../../../analysis/random/sources';

/* What holds for any calls: random ones, with fixed seeds. */

const START = 1_767_225_600_000;
const SITES = ['a.example', 'b.example', 'c.example'];
const limits = {
  ...defaultLimits,
  perSitePrivacyBudget: 1_000_000,
  globalPrivacyBudgetPerEpoch: 2_500_000,
  impressionSiteQuotaPerEpoch: 1_500_000,
};

const below = (random: RandomSource, bound: number): number => Number(uniformBelow(random, BigInt(bound)));

const pick = <T>(random: RandomSource, items: readonly T[]): T => {
  const item = items[below(random, items.length)];
  if (item === undefined) throw new RangeError('there must be items');
  return item;
};

const some = (random: RandomSource): ReadonlySet<string> =>
  new Set(below(random, 3) === 0 ? [pick(random, SITES)] : []);

const impression = (random: RandomSource): ImpressionOptions => ({
  histogramIndex: below(random, 6),
  matchValue: below(random, 2),
  conversionSites: some(random),
  conversionCallers: new Set(),
  lifetime: days(1 + below(random, 30)),
  priority: below(random, 3),
});

function conversion(random: RandomSource): ConversionOptions {
  const maxValue = 1 + below(random, 9);
  return {
    epsilon: Rational.fraction(BigInt(1 + below(random, 999)), 1000n),
    histogramSize: 1 + below(random, 6),
    lookback: days(1 + below(random, 30)),
    matchValues: new Set(below(random, 2) === 0 ? [0] : []),
    impressionSites: some(random),
    impressionCallers: new Set(),
    credit: Array.from({ length: 1 + below(random, 4) }, () => Rational.of(1 + below(random, 7))),
    value: 1 + below(random, maxValue),
    maxValue,
  };
}

const call = (time: number, topLevelSite: string): Call => ({
  time: moment(time),
  topLevelSite,
  intermediarySite: null,
});

const sum = (histogram: readonly number[]): number => histogram.reduce((a, b) => a + b, 0);

const most = {
  site: limits.perSitePrivacyBudget,
  all: limits.globalPrivacyBudgetPerEpoch,
  quota: limits.impressionSiteQuotaPerEpoch,
};

/** In microepsilons. */
const left = (api: AttributionApi, kind: BudgetKind, epoch: number, site: string | null): number =>
  api.documents.budgets.find((one) => one.kind === kind && one.epoch === epoch && one.site === site)?.left ??
  most[kind];

/** Runs random calls, by default over six weeks, and shows each conversion with what it reported. */
function run(
  seed: number,
  seen: (api: AttributionApi, made: Call, options: ConversionOptions, report: readonly number[]) => void,
  { period, step } = { period: 6 * EPOCH, step: days(1) },
): void {
  const random = seededRandomSource('w3c properties', seed);
  const api = new AttributionApi(limits, (number) => seededRandomSource(`w3c browser ${seed}`, number));
  for (let time = START; time < START + period; time += below(random, step)) {
    const made = call(time, pick(random, SITES));
    if (below(random, 2) === 0) api.saveImpression(made, impression(random));
    else {
      const options = conversion(random);
      seen(api, made, options, api.measureConversion(made, options).histogram);
    }
    if (below(random, 60) === 0) api.clearBrowsingHistory(made.time, new Set([pick(random, SITES)]), false);
  }
}

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);
const EPOCHS = Array.from({ length: 20 }, (_, index) => index - 10);

test('no budget is ever below 0 or above its beginning, and none grows', () => {
  let spending = 0;
  for (const seed of SEEDS) {
    const last = new Map<string, number>();
    run(seed, (api) => {
      const all = EPOCHS.flatMap((epoch) => [
        ...SITES.map((site) => [`site ${epoch} ${site}`, left(api, 'site', epoch, site), 1_000_000] as const),
        ...SITES.map(
          (site) => [`quota ${epoch} ${site}`, left(api, 'quota', epoch, site), 1_500_000] as const,
        ),
        [`all ${epoch}`, left(api, 'all', epoch, null), 2_500_000] as const,
      ]);
      for (const [name, value, most] of all) {
        const before = last.get(name) ?? most;
        if (value < 0 || value > before || !Number.isInteger(value))
          throw new Error(`${name}: ${value} after ${before}`);
        if (value < before) spending += 1;
        last.set(name, value);
      }
    });
  }
  expect(spending).toBeGreaterThan(1000);
});

test('no histogram sums to more than the value, and none has a negative or broken bucket', () => {
  let attributed = 0;
  for (const seed of SEEDS)
    run(seed, (_, __, { value, maxValue, histogramSize }, report) => {
      expect(report).toHaveLength(histogramSize);
      expect(report.every((bucket) => Number.isInteger(bucket) && bucket >= 0)).toBe(true);
      expect(sum(report)).toBeLessThanOrEqual(value);
      expect(sum(report)).toBeLessThanOrEqual(maxValue);
      attributed += sum(report) > 0 ? 1 : 0;
    });
  expect(attributed).toBeGreaterThan(100);
});

test('what a site is told within a day is within the budgets of the two epochs that a day can have', () => {
  let asked = 0;
  for (const seed of SEEDS) {
    const told = new Map<string, Rational>();
    const tell = (
      site: string,
      report: readonly number[],
      { epsilon, maxValue }: ConversionOptions,
    ): void => {
      const loss = Rational.of(sum(report))
        .times(epsilon)
        .over(Rational.of(2 * maxValue));
      told.set(site, (told.get(site) ?? Rational.ZERO).plus(loss));
      asked += 1;
    };
    run(seed, (_, { topLevelSite }, options, report) => tell(topLevelSite, report, options), {
      period: days(1),
      step: minutes(20),
    });
    for (const loss of told.values()) expect(loss.toNumber()).toBeLessThanOrEqual(2);
  }
  // Without budgets they would be told of four times as much and more.
  expect(asked).toBeGreaterThan(1000);
});

test('what an impression changes in all reports is within the budgets of each site, of its page, and of all sites', () => {
  const ASKERS = ['a', 'b', 'c', 'd'].map((name) => `${name}.example`);
  const options: ConversionOptions = {
    ...{ epsilon: Rational.fraction(1n, 10n), histogramSize: 2, lookback: days(1), value: 5, maxValue: 5 },
    ...{ matchValues: new Set(), impressionSites: new Set(), impressionCallers: new Set() },
    credit: [Rational.ONE],
  };
  /** @returns the ε that each report tells of the impression, with the noise that its sum gets */
  const losses = (budgets: Partial<typeof limits>) => {
    const worlds = [true, false].map((isShown) => {
      const api = new AttributionApi({ ...limits, ...budgets }, () =>
        seededRandomSource('w3c neighbours', 1),
      );
      const saved = impression(seededRandomSource('w3c neighbours', 2));
      const all = { histogramIndex: 0, conversionSites: new Set<string>(), lifetime: days(30) };
      if (isShown) api.saveImpression(call(START, 'page.example'), { ...saved, ...all });
      return Array.from(
        { length: 160 },
        (_, index) => api.measureConversion(call(START + index, ASKERS[index % 4] ?? ''), options).histogram,
      );
    });
    const [shown = [], hidden = []] = worlds;
    const told = shown.map(
      (report, index) =>
        sum(report.map((value, bucket) => Math.abs(value - (hidden[index]?.[bucket] ?? 0)))) / 100,
    );
    return [sum(told.filter((_, index) => index % 4 === 0)), sum(told)] as const;
  };
  const full = {
    perSitePrivacyBudget: 1e7,
    globalPrivacyBudgetPerEpoch: 1e8,
    impressionSiteQuotaPerEpoch: 1e8,
  };
  expect(losses(full)).toEqual([expect.closeTo(2, 9), expect.closeTo(8, 9)]);
  // The specification charges the last two for twice as much as one impression can change.
  expect(losses({ ...full, perSitePrivacyBudget: 600_000 })).toEqual([
    expect.closeTo(0.6, 9),
    expect.closeTo(2.4, 9),
  ]);
  expect(losses({ ...full, globalPrivacyBudgetPerEpoch: 1_200_000 })[1]).toBeCloseTo(0.6, 9);
  expect(losses({ ...full, impressionSiteQuotaPerEpoch: 1_200_000 })[1]).toBeCloseTo(0.6, 9);
});

test('what is reported is what was deducted for, also where chance decides whether credit is lost', () => {
  const roomy = { ...limits, globalPrivacyBudgetPerEpoch: 1e9, impressionSiteQuotaPerEpoch: 1e9 };
  const told = SEEDS.map((seed) => {
    const random = seededRandomSource('w3c lost credit', seed);
    const api = new AttributionApi(roomy, () => random);
    const saved = { ...impression(random), lifetime: days(30), conversionSites: new Set<string>() };
    // The histogram has the bucket of one of them only.
    for (const histogramIndex of [0, 9])
      api.saveImpression(call(START, 'a.example'), { ...saved, histogramIndex, priority: 0 });
    const options: ConversionOptions = {
      ...conversion(random),
      epsilon: Rational.ONE,
      histogramSize: 1,
      lookback: days(1),
      matchValues: new Set(),
      impressionSites: new Set(),
      credit: [Rational.ONE, Rational.ONE],
      value: 1,
      maxValue: 1,
    };
    const reports = Array.from({ length: 40 }, () =>
      api.measureConversion(call(START, 'b.example'), options),
    );
    return reports.reduce((all, { histogram }) => all + sum(histogram), 0);
  });
  // In a single epoch, each costs half of the budget.
  expect(Math.max(...told)).toBe(2);
});

test('impressions of one moment of an epoch, in any order, make the same report', () => {
  for (const seed of SEEDS) {
    const random = seededRandomSource('w3c order', seed);
    // Different priorities, so that the order of saving cannot break a tie.
    const saved = Array.from({ length: 12 }, (_, priority) => ({
      site: pick(random, SITES),
      options: { ...impression(random), conversionSites: new Set<string>(), priority },
    }));
    const asked = Array.from({ length: 5 }, () => conversion(random));
    const reports = [saved, shuffle(random, saved), [...saved].reverse()].map((order) => {
      const api = new AttributionApi(limits, (number) => seededRandomSource(`w3c browser ${seed}`, number));
      for (const { site, options } of order) api.saveImpression(call(START, site), options);
      return asked.map(
        (options) => api.measureConversion(call(START + hours(1), 'd.example'), options).histogram,
      );
    });
    expect(reports[1]).toEqual(reports[0]);
    expect(reports[2]).toEqual(reports[0]);
  }
});

test('credit is allocated in whole numbers, none off by 1, with the right sum and the right means', () => {
  const cases = [
    { credit: [1, 1], value: 5 },
    { credit: [2, 1, 1], value: 5 },
    { credit: [0.7, 0.2, 0.1], value: 1 },
    { credit: [3, 2, 5, 7], value: 8 },
    { credit: [1, 1, 1], value: 2 },
  ];
  const REPETITIONS = 2000;
  for (const [stream, { credit, value }] of cases.entries()) {
    const random = seededRandomSource('w3c credit', stream);
    const total = sum(credit);
    const totals = credit.map(() => 0);
    for (let repetition = 0; repetition < REPETITIONS; repetition++) {
      const allocated = fairlyAllocateCredit(
        random,
        credit.map((item) => Rational.of(item)),
        value,
      );
      if (sum(allocated) !== value) throw new Error(`${allocated.join()} must sum to ${value}`);
      allocated.forEach((part, index) => {
        if (!(Math.abs(part - ((credit[index] ?? 0) * value) / total) < 1)) throw new Error(allocated.join());
        totals[index] = (totals[index] ?? 0) + part;
      });
    }
    // Hoeffding: a mean of 2,000 draws within a range of 1 is off by 0.07 with a probability below 2·e^(−2·2000·0.07²) = 7·10⁻⁹.
    totals.forEach((part, index) => {
      expect(Math.abs(part / REPETITIONS - ((credit[index] ?? 0) * value) / total)).toBeLessThan(0.07);
    });
  }
});

test('epochs begin at each hour of the week equally often', () => {
  const RUNS = 3360;
  const random = seededRandomSource('w3c epochs', 0);
  const hoursOfWeek = new Map<number, number>();
  for (let run = 0; run < RUNS; run++) {
    const start = firstHourOfEpoch(random);
    hoursOfWeek.set(start, (hoursOfWeek.get(start) ?? 0) + 1);
  }
  const expected = RUNS / 168;
  const chiSquare = [...hoursOfWeek.values()].reduce(
    (all, count) => all + (count - expected) ** 2 / expected,
    0,
  );
  expect(hoursOfWeek.size).toBe(168);
  // With 167 degrees of freedom, χ² is above 275 with a probability below 10⁻⁶.
  expect(chiSquare).toBeLessThan(275);
});

/** Finds the hour in which the epoch changes by what clearing stored data does to budgets: it exhausts the running epoch. */
function firstHourOfEpoch(random: RandomSource): number {
  const api = new AttributionApi({ ...limits, maxLookbackDays: 1 }, () => random);
  let [low, high] = [0, 168];
  const epochAt = (hour: number): number => {
    const time: Moment = moment(START + hours(hour));
    api.clearBrowsingHistory(time, new Set([`h${hour}.example`]), false);
    return (
      EPOCHS.find(
        (epoch) =>
          left(api, 'site', epoch + 1, `h${hour}.example`) > 0 &&
          left(api, 'site', epoch, `h${hour}.example`) === 0,
      ) ?? NaN
    );
  };
  const first = epochAt(0);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (epochAt(middle) === first) low = middle;
    else high = middle;
  }
  return high % 168;
}
