import { normalQuantile } from '../estimate/intervals/normal';
import type { RandomSource } from '../../src/privacy/random-source';
import type { ScenarioEvent } from '../scenario/scenario';
import { weighted } from '../simulation/draws';
import { OutcomeCounter } from '../simulation/outcome-counter';
import { bucketName } from '../w3c/profile';
import { simulateApiUser } from '../w3c/user';
import { quantityOf, type Levels } from './group-sums';
import type { LoggedSource } from './logged-sources';
import { countsOf, type Measurement } from './measurement';
import { finiteOrNull, type Count, type GroupResult, type RunResult } from './result';
import { SourceSequences } from './successive-sets';
import { profileOf, siteName } from './w3c-measurement';

/** What the attribution sets of one reporting origin and conversion site say together. A conversion counts 1, or its value. */
export interface SetSums {
  /** How many sources a set names. */
  readonly size: number;
  /** The sum over conversions of what they count, and of its square. */
  readonly whole: number;
  readonly squares: number;
  /** How many sources could have led to the conversions: all those for this site. */
  readonly sources: number;
}

/** Which sources are in a set with the one that led to a conversion: any, or those that a reporting origin served just before and after it. */
export type SetOrder = 'random' | 'successive';

interface Estimated {
  readonly estimate: number;
  /** Infinite if the sets say nothing of the group. */
  readonly variance: number;
}

/**
 * The conversions of a group of sources, without bias. The source that led to a conversion is in its set, and the others are drawn from all other
 * sources without replacement; so the members of the group are its conversions, plus a known share of the others. With sets that are small beside
 * the number of sources, this is the estimator of Applebaum et al. (2026) for a uniform prior. As the likelihood of logistic regression depends on
 * labels only through such sums, it estimates any model's loss without bias, too.
 * @param count how many sources the group has.
 * @param members of the group in all sets, each counted as its conversion.
 */
export function fromSets(
  { size, whole, squares, sources }: SetSums,
  count: number,
  members: number,
): Estimated {
  // Otherwise a small site without conversions would leave nothing known of a group.
  if (whole === 0) return { estimate: 0, variance: 0 };
  if (count === 0 || count === sources) return { estimate: members / size, variance: 0 };
  const others = size - 1;
  // How much of what a member adds tells who led to the conversion.
  const told = (sources - size) / (sources - 1);
  if (told === 0) return { estimate: (whole * count) / sources, variance: Infinity };
  const estimate = (members - (others * whole * count) / (sources - 1)) / told;
  const share = count / sources;
  // That of a hypergeometric number over told², as a mean over the sources that may have led to the conversion.
  const ofOne = (others * share * (1 - share) * sources) / (sources - size);
  return { estimate, variance: squares * ofOne };
}

interface Site {
  /** Its sources, by group. */
  readonly counts: Map<string, number>;
  /** Of the sets, by group. */
  readonly members: Map<string, number>;
  sources: number;
  conversions: number;
  whole: number;
  squares: number;
}

/**
 * Measures by attribution sets: with each conversion, the reporting origin learns the groups of several sources for the same site, one of which led
 * to it. The others are drawn at random, or follow each other. Such sets have no ε, so there is no budget, and nothing is left out.
 */
export class AttributionSets implements Measurement {
  private readonly tally = new OutcomeCounter();
  private readonly names: readonly string[];
  private readonly groups: ReadonlyMap<string, readonly string[]>;
  private readonly sites = new Map<string, Site>();
  private readonly profile: ReturnType<typeof profileOf>;
  /** Null if sources are drawn at random. */
  private readonly sequences: SourceSequences | null;

  /**
   * @param sources of the log.
   * @param size of a set; all sources for a site that has fewer.
   * @param random draws the other sources; null for sets of one source.
   * @param order of the sources of a set. If they are successive, the estimates have a bias: they are made as if the others were drawn at random.
   */
  constructor(
    private readonly levels: Levels,
    sources: readonly LoggedSource[],
    private readonly size: number,
    private readonly random: RandomSource | null,
    order: SetOrder = 'random',
  ) {
    this.sequences = order === 'successive' && random !== null ? new SourceSequences() : null;
    this.groups = new Map(sources.map(({ group }) => [bucketName(group), group]));
    this.names = [...this.groups.keys()];
    this.profile = profileOf(null, levels, this.names);
    for (const { reportingOrigin, destinations, group, count } of sources)
      for (const key of keysOf({ reportingOrigin, destinations })) {
        const site = this.sites.get(key) ?? newSite();
        this.sites.set(key, site);
        site.sources += count;
        add(site.counts, bucketName(group), count);
      }
  }

  add(events: readonly ScenarioEvent[], random: (stream: number) => RandomSource): Promise<void> {
    const { reports, tally } = simulateApiUser(events, this.profile, random);
    const lastOf = this.sequences?.addPerson(events, this.levels.columns, keysOf);
    for (const { conversionSite, caller, histogram, time } of reports) {
      const key = siteKey(conversionSite, caller);
      const site = this.sites.get(key);
      const led = histogram.findIndex((value) => value > 0);
      if (site === undefined || led < 0) continue;
      const [group, value] = [this.names[led] ?? '', histogram[led] ?? 0];
      const source = lastOf?.(key, group, time);
      if (source === undefined) this.addConversion(site, group, value);
      else this.sequences?.of(key).addConversion(source, countConversion(site, value));
    }
    this.tally.addAll(tally);
    return Promise.resolve();
  }

  /** @param led the group of the source that led to the conversion. */
  private addConversion(site: Site, led: string, value: number): void {
    countConversion(site, value);
    const size = this.sizeAt(site);
    if (size === site.sources) {
      for (const [group, count] of site.counts) add(site.members, group, count * value);
      return;
    }
    add(site.members, led, value);
    if (this.random === null) return;
    const left = [...site.counts].map(([group, count]) => ({
      group,
      weight: group === led ? count - 1 : count,
    }));
    for (let drawn = 1; drawn < size; drawn++) {
      const other = weighted(this.random, left);
      other.weight -= 1;
      add(site.members, other.group, value);
    }
  }

  private sizeAt({ sources }: Site): number {
    return this.random === null ? 1 : Math.min(this.size, sources);
  }

  result(): RunResult {
    const { sequences, random } = this;
    if (sequences !== null && random !== null)
      for (const [key, site] of this.sites)
        sequences.of(key).draw(this.sizeAt(site), random, (group, value) => add(site.members, group, value));
    const spent = { units: 0, mean: 0, most: 0 };
    const counts = [...countsOf(this.tally), ...this.onlyTotals()];
    return { sources: [], groups: this.results(), counts, delays: [], spent };
  }

  /** The conversions of sites whose sets are all their sources, which are of several groups. */
  private onlyTotals(): readonly Count[] {
    const sites = [...this.sites.values()];
    const found = sites.filter(({ sources, counts }) => sources <= this.size && counts.size > 1);
    const kind = `only the total is known, at ${found.length} of ${sites.length} sites with no more sources than a set`;
    const count = found.reduce((sum, { conversions }) => sum + conversions, 0);
    return count === 0 ? [] : [{ section: 'triggers_dropped', kind, count }];
  }

  private results(): readonly GroupResult[] {
    const { columns, levels, confidence } = this.levels;
    const deviations = normalQuantile((1 + confidence) / 2);
    return levels.flatMap((level, index) => {
      const places = level.map((column) => columns.indexOf(column));
      const names = new Map<string, { readonly group: readonly string[]; readonly parts: string[] }>();
      for (const [name, values] of this.groups) {
        const group = places.map((place) => values[place] ?? '');
        const found = names.get(bucketName(group)) ?? { group, parts: [] };
        found.parts.push(name);
        names.set(bucketName(group), found);
      }
      return [...names.values()].map(({ group, parts }): GroupResult => {
        const { estimate, variance } = this.ofGroup(parts);
        const half = deviations * Math.sqrt(variance);
        return {
          ...{ level: index, group, quantity: quantityOf(this.levels) },
          ...{ observed: estimate, estimate, variance: finiteOrNull(variance) },
          ...{ low: finiteOrNull(estimate - half), high: finiteOrNull(estimate + half) },
        };
      });
    });
  }

  /** @param parts the groups by all columns of which the group consists. */
  private ofGroup(parts: readonly string[]): Estimated {
    const sumOf = (of: ReadonlyMap<string, number>): number =>
      parts.reduce((sum, part) => sum + (of.get(part) ?? 0), 0);
    return [...this.sites.values()]
      .map((site) => fromSets({ ...site, size: this.sizeAt(site) }, sumOf(site.counts), sumOf(site.members)))
      .reduce(
        (sum, one) => ({ estimate: sum.estimate + one.estimate, variance: sum.variance + one.variance }),
        { estimate: 0, variance: 0 },
      );
  }
}

const siteKey = (conversionSite: string | null, caller: string | null): string =>
  JSON.stringify([conversionSite, caller]);

const keysOf = ({
  reportingOrigin,
  destinations,
}: Pick<LoggedSource, 'reportingOrigin' | 'destinations'>): readonly string[] =>
  destinations.map((destination) => siteKey(siteName(destination), siteName(reportingOrigin)));

/** @returns the value. */
function countConversion(site: Site, value: number): number {
  site.conversions += 1;
  site.whole += value;
  site.squares += value ** 2;
  return value;
}

const newSite = (): Site => ({
  ...{ counts: new Map<string, number>(), members: new Map<string, number>() },
  ...{ sources: 0, conversions: 0, whole: 0, squares: 0 },
});

function add(to: Map<string, number>, name: string, value: number): void {
  to.set(name, (to.get(name) ?? 0) + value);
}
