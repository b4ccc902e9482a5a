import type { Json } from '../../src/model/json';
import { MAX_UINT32 } from '../../src/model/registration';
import type { RandomSource } from '../../src/privacy/random-source';
import { Rational } from '../../src/privacy/rational';
import type { ScenarioEvent } from '../scenario/scenario';
import { OutcomeCounter } from '../simulation/outcome-counter';
import { bucketName, parseProfile, type Profile } from '../w3c/profile';
import { siteNameOf } from '../../w3c/site-name';
import { simulateApiUser, type ConversionReport } from '../w3c/user';
import { GroupSums, type Levels } from './group-sums';
import { countedByGroup, type LoggedSource } from './logged-sources';
import { countsOf, type Measurement } from './measurement';
import type { RunResult } from './result';
import { SpentEpsilon } from './spent-epsilon';

/** For each person, conversion site and epoch. */
interface W3cBudget {
  readonly epsilon: number;
  readonly conversions: number;
  /** Whether each impression site has a quota. */
  readonly hasQuota: boolean;
}

/**
 * Measures by W3C Attribution: each conversion makes a histogram by all columns together, and one batch of all reports of a conversion site and
 * caller is added up.
 */
export class W3cMeasurement implements Measurement {
  private readonly tally = new OutcomeCounter();
  private readonly spent = new SpentEpsilon();
  private readonly profile: Profile;
  private readonly names: readonly string[];
  private readonly sums: GroupSums;

  /**
   * @param budget ε of a person, conversion site and epoch, and how many conversions share it; null for no limits.
   * @param noise null for none.
   */
  constructor(
    private readonly budget: W3cBudget | null,
    private readonly levels: Levels,
    private readonly sources: readonly LoggedSource[],
    private readonly noise: RandomSource | null,
  ) {
    this.names = [...new Set(sources.map(({ group }) => bucketName(group)))];
    this.profile = profileOf(budget, levels, this.names);
    const groups = new Map<string, readonly string[]>();
    for (const { reportingOrigin, destinations, group } of sources)
      for (const site of destinations)
        groups.set(bucketOf(siteName(site), siteName(reportingOrigin), bucketName(group)), group);
    this.sums = new GroupSums(groups);
  }

  add(events: readonly ScenarioEvent[], random: (stream: number) => RandomSource): Promise<void> {
    const { reports, tally, spent } = simulateApiUser(events, this.profile, random);
    for (const report of reports) this.addReport(report);
    this.tally.addAll(tally);
    this.spent.addUnits(spent);
    return Promise.resolve();
  }

  result(): RunResult {
    const { epsilon, maxValue } = this.profile.conversion;
    const { noise: random } = this;
    const scale = Rational.of(2 * maxValue).over(epsilon);
    return {
      sources: this.budget === null ? this.trueSources() : [],
      groups: this.sums.results(this.levels, 1, random === null ? null : { random, scale }),
      counts: countsOf(this.tally),
      delays: [],
      spent: this.spent.result(),
    };
  }

  /** The sources of each group, with what was measured without noise. */
  private trueSources(): RunResult['sources'] {
    const all = { ...this.levels, levels: [this.levels.columns] };
    const found = new Map(
      this.sums.results(all, 1, null).map(({ group, observed }) => [JSON.stringify(group), observed]),
    );
    return countedByGroup(this.sources).map(({ group, count }) => ({
      group,
      count,
      conversions: found.get(JSON.stringify(group)) ?? 0,
    }));
  }

  private addReport({ conversionSite, caller, histogram }: ConversionReport): void {
    histogram.forEach((value, index) => {
      if (value > 0) this.sums.add(bucketOf(conversionSite, caller, this.names[index] ?? ''), value);
    });
  }
}

const bucketOf = (conversionSite: string | null, caller: string | null, name: string): string =>
  JSON.stringify([conversionSite, caller, name]);

/** The site of a destination or reporting origin, as reports name it. */
export const siteName = (site: string): string | null => siteNameOf(new URL(site).hostname);

const MICRO = 1_000_000;

/** Each conversion makes a histogram with the group of its source. @param budget null for no limits. */
export function profileOf(
  budget: W3cBudget | null,
  { columns, mostValue }: Levels,
  buckets: readonly string[],
): Profile {
  const site = budget === null ? MAX_UINT32 : Math.floor(budget.epsilon * MICRO);
  // In whole millionths, in which browsers deduct.
  const ofConversion = budget === null ? 1 : Math.floor(site / budget.conversions);
  // Multiples, as the specification recommends; see docs/w3c.md.
  const shared = (times: number): number => Math.min(times * site, MAX_UINT32);
  const json: Json = {
    histogram: { by: '', buckets },
    conversion: { epsilon: ofConversion / MICRO, maxValue: mostValue ?? 1 },
    limits: {
      perSitePrivacyBudget: site,
      globalPrivacyBudgetPerEpoch: shared(8),
      impressionSiteQuotaPerEpoch: budget?.hasQuota === false ? MAX_UINT32 : shared(4),
    },
  };
  const { value, errors } = parseProfile(json);
  if (value === null) throw new RangeError(`W3C Attribution cannot measure this: ${JSON.stringify(errors)}`);
  return { ...value, columns, countsValues: mostValue !== undefined };
}
