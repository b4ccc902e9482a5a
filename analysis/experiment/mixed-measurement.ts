import { greatest } from '../../numeric/extremes';
import type { RandomSource } from '../../src/privacy/random-source';
import type { ScenarioEvent } from '../scenario/scenario';
import { weighted } from '../simulation/draws';
import type { Levels } from './group-sums';
import { LoggedSources } from './logged-sources';
import type { Measurement } from './measurement';
import type { GroupResult, RunResult } from './result';

/** Of a person's randomness, beside those of `simulateUser` and of summary reports. */
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

  async add(events: readonly ScenarioEvent[], random: (stream: number) => RandomSource): Promise<void> {
    const { measurement } = weighted(random(BROWSER_STREAM), this.browsers);
    for (const event of events) this.all.add(event);
    if (measurement === null) return;
    for (const event of events) this.measured.add(event);
    await measurement.add(events, random);
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

  /** Only conversions are measured by all APIs. */
  private scaled(results: readonly GroupResult[]): readonly GroupResult[] {
    const [all, measured] = [this.all, this.measured].map((sources) => this.counted(sources));
    return summed(
      results.filter(({ quantity }) => quantity === 'conversions'),
      keyOf,
      added,
    ).map((result) => {
      const key = keyOf(result);
      const factor = (all?.get(key) ?? 0) / Math.max(measured?.get(key) ?? 0, 1);
      const { observed, estimate, low, high, variance } = result;
      return {
        ...result,
        observed: observed * factor,
        estimate: estimate * factor,
        low: Math.max(low * factor, -Number.MAX_VALUE),
        high: Math.min(high * factor, Number.MAX_VALUE),
        variance: Math.min(variance * factor ** 2, Number.MAX_VALUE),
      };
    });
  }

  /** How many sources each group of each level has. */
  private counted(sources: LoggedSources): ReadonlyMap<string, number> {
    const found = new Map<string, number>();
    this.levels.levels.forEach((columns, level) => {
      for (const { group, count } of sources.list()) {
        const values = columns.map((column) => group[this.levels.columns.indexOf(column)] ?? '');
        const key = keyOf({ level, group: values });
        found.set(key, (found.get(key) ?? 0) + count);
      }
    });
    return found;
  }
}

const keyOf = ({ level, group }: Pick<GroupResult, 'level' | 'group'>): string =>
  JSON.stringify([level, group]);

/** The errors of two browsers are independent. */
function added(a: GroupResult, b: GroupResult): GroupResult {
  const estimate = a.estimate + b.estimate;
  return {
    ...a,
    observed: a.observed + b.observed,
    estimate,
    low: estimate - Math.hypot(a.estimate - a.low, b.estimate - b.low),
    high: estimate + Math.hypot(a.high - a.estimate, b.high - b.estimate),
    variance: Math.min(a.variance + b.variance, Number.MAX_VALUE),
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
