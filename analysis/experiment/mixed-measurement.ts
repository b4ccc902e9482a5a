import { greatest } from '../../numeric/extremes';
import type { RandomSource } from '../../src/privacy/random-source';
import type { ScenarioEvent } from '../scenario/scenario';
import { weighted } from '../simulation/draws';
import { quantityOf, type Levels } from './group-sums';
import { LoggedSources } from './logged-sources';
import type { Measurement } from './measurement';
import { finiteOrNull, type GroupResult, type RunResult } from './result';

/** The number of a stream of a person's randomness, beside those of `simulateUser` and of summary reports. */
const BROWSER_STREAM = 2 ** 53 - 5;
/** Shares are rounded to parts of this size. */
const PARTS = 1_000_000;

interface Browser {
  readonly weight: number;
  /** Null: it measures nothing. */
  readonly measurement: Measurement | null;
}

/**
 * Each person has one of several browsers, drawn at random. What their APIs measure is added up, and scaled to all sources of a group, because
 * the ad side knows in which browser it showed an ad.
 */
export class MixedMeasurement implements Measurement {
  private readonly browsers: readonly Browser[];
  private readonly all: LoggedSources;
  private readonly measured: LoggedSources;

  /** @param browsers with their shares of people, at most 1 together. */
  constructor(
    private readonly levels: Levels,
    browsers: readonly { readonly share: number; readonly measurement: Measurement }[],
  ) {
    const given = browsers.map(({ share, measurement }) => ({
      weight: Math.round(share * PARTS),
      measurement,
    }));
    const rest = PARTS - given.reduce((sum, { weight }) => sum + weight, 0);
    this.browsers = [...given, { weight: Math.max(rest, 0), measurement: null }];
    this.all = new LoggedSources(levels.columns);
    this.measured = new LoggedSources(levels.columns);
  }

  async add(
    events: readonly ScenarioEvent[],
    random: (stream: number) => RandomSource,
    maker?: 'browser' | 'forger',
  ): Promise<void> {
    const { measurement } = weighted(random(BROWSER_STREAM), this.browsers);
    for (const event of events) this.all.add(event);
    if (measurement === null) return;
    for (const event of events) this.measured.add(event);
    await measurement.add(events, random, maker);
  }

  result(): RunResult {
    const results = this.browsers.flatMap(({ measurement }) => measurement?.result() ?? []);
    const units = results.reduce((sum, { spent }) => sum + spent.units, 0);
    return {
      sources: [],
      groups: this.scaled(results.flatMap(({ groups }) => groups)),
      counts: summed(
        results.flatMap(({ counts }) => counts),
        ({ section, kind }) => JSON.stringify([section, kind]),
        (a, b) => ({ ...a, count: a.count + b.count }),
      ),
      delays: summed(
        results.flatMap(({ delays }) => delays),
        ({ what }) => what,
        (a, b) => ({ ...a, count: a.count + b.count, reported: a.reported + b.reported }),
      ),
      spent: {
        units,
        mean: results.reduce((sum, { spent }) => sum + spent.units * spent.mean, 0) / Math.max(units, 1),
        most: greatest([0, ...results.map(({ spent }) => spent.most)]),
      },
    };
  }

  /** Only conversions, or their values, are measured by all APIs. Of a group whose people have no browser that measures, nothing is known. */
  private scaled(results: readonly GroupResult[]): readonly GroupResult[] {
    const [all, measured] = [this.counted(this.all), this.counted(this.measured)];
    const quantity = quantityOf(this.levels);
    const unmeasured = [...all.values()].filter((group) => !measured.has(keyOf(group)));
    const found = summed(
      results.filter((result) => result.quantity === quantity && measured.has(keyOf(result))),
      keyOf,
      added,
    ).map((result) => {
      const key = keyOf(result);
      const factor = (all.get(key)?.count ?? NaN) / (measured.get(key)?.count ?? NaN);
      const { observed, estimate, low, high, variance } = result;
      return {
        ...result,
        observed: observed * factor,
        estimate: estimate * factor,
        low: low === null ? null : low * factor,
        high: high === null ? null : high * factor,
        variance: variance === null ? null : variance * factor ** 2,
      };
    });
    const unknown = { quantity, observed: 0, estimate: 0, low: null, high: null, variance: null };
    return [...found, ...unmeasured.map(({ level, group }) => ({ level, group, ...unknown }))];
  }

  /** How many sources each group of each level has. */
  private counted(sources: LoggedSources): ReadonlyMap<string, CountedGroup> {
    const found = new Map<string, CountedGroup>();
    this.levels.levels.forEach((columns, level) => {
      for (const { group, count } of sources.list()) {
        const values = columns.map((column) => group[this.levels.columns.indexOf(column)] ?? '');
        const key = keyOf({ level, group: values });
        found.set(key, { level, group: values, count: (found.get(key)?.count ?? 0) + count });
      }
    });
    return found;
  }
}

interface CountedGroup extends Pick<GroupResult, 'level' | 'group'> {
  /** The number of its sources. */
  readonly count: number;
}

const keyOf = ({ level, group }: Pick<GroupResult, 'level' | 'group'>): string =>
  JSON.stringify([level, group]);

/** The errors of two browsers are independent. What is unknown of one is unknown of the sum. */
function added(a: GroupResult, b: GroupResult): GroupResult {
  const estimate = a.estimate + b.estimate;
  const reach = (end: 'low' | 'high'): number =>
    Math.hypot(...[a, b].map((of) => (of[end] ?? Infinity) - of.estimate));
  return {
    ...a,
    observed: a.observed + b.observed,
    estimate,
    low: finiteOrNull(estimate - reach('low')),
    high: finiteOrNull(estimate + reach('high')),
    variance: a.variance === null || b.variance === null ? null : a.variance + b.variance,
  };
}

function summed<T>(items: readonly T[], keyOf: (item: T) => string, add: (a: T, b: T) => T): readonly T[] {
  const found = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    const known = found.get(key);
    found.set(key, known === undefined ? item : add(known, item));
  }
  return [...found.values()];
}
