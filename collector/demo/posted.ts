import { summaryNoise } from '../../analysis/aggregate/noise';
import { summarize } from '../../analysis/aggregate/summary';
import { Impressions } from '../../analysis/reach/impressions';
import { reachRows } from '../../analysis/reach/reach-rows';
import type { ScenarioReport } from '../../analysis/scenario/scenario';
import { campaignOfBucket, CONVERSION_COUNTS, type DemoUser } from '../../analysis/simulation/demo-month';
import { isJsonObject, type Json } from '../../src/model/json';
import { randomUuid } from '../../src/privacy/uniform';
import type { RandomSource } from '../../src/privacy/random-source';
import { reachNumber } from '../http/posted-reach';
import { summarySlice } from '../http/posted-summary';

const LEVEL = 0.95;
/** As `cointoss aggregate` has it. */
const SUMMARY_EPSILON = '10';
const REACH_EPSILON = '1';
/** A person counts in at most this many campaigns. */
const REACH_CAP = 4;

/** What an operator would post about the made-up month. The demo knows the contributions and the people. */
export class DemoPosts {
  private readonly sums = new Map<bigint, bigint>();
  private readonly impressions = new Impressions({
    cap: REACH_CAP,
    groups: [...campaignOfBucket.values()].map((campaign) => ({ group: [campaign], publishers: null })),
  });

  /** @param reports the person's, unencrypted; other kinds are ignored */
  add({ user, sources }: DemoUser, reports: readonly ScenarioReport[]): void {
    for (const { payload } of reports)
      for (const { bucket, value } of contributionsOf(payload))
        this.sums.set(bucket, (this.sums.get(bucket) ?? 0n) + value);
    for (const { features } of sources) this.impressions.add([features.campaign], '', user);
  }

  /** Conversions of each campaign, as `cointoss aggregate --tree --slices campaign` writes them. */
  summary(random: RandomSource): Json {
    const options = { expected: new Set(campaignOfBucket.keys()), discoveryDelta: null, level: LEVEL };
    return summarize(this.sums, summaryNoise(SUMMARY_EPSILON), options, random).map((row) =>
      summarySlice.write({
        slice: `campaign=${campaignOfBucket.get(row.bucket) ?? ''}`,
        estimate: row.value / CONVERSION_COUNTS,
        error: row.standardError / CONVERSION_COUNTS,
        low: row.low / CONVERSION_COUNTS,
        high: row.high / CONVERSION_COUNTS,
      }),
    );
  }

  /** Reach, as `cointoss reach --group-by campaign` writes it. */
  reach(random: RandomSource): Json {
    const by = 'discrete-laplace';
    const options = {
      ...{ most: 5, cap: REACH_CAP, epsilon: REACH_EPSILON, level: LEVEL },
      ...{ registers: 1, key: randomUuid(random) },
    };
    return reachRows(by, this.impressions.slices(), options, random).flatMap(
      ({ group, quantity, impressions, estimate, interval: [low, high], share }) =>
        quantity === 'frequency'
          ? []
          : reachNumber.write({
              ...{ by, impressions: impressions ?? 1, estimate, low, high },
              share: share?.estimate ?? null,
              share_low: share?.interval[0] ?? null,
              share_high: share?.interval[1] ?? null,
              group: group.map((campaign) => ['campaign', campaign]),
            }),
    );
  }
}

interface Contribution {
  readonly bucket: bigint;
  readonly value: bigint;
}

/** The contributions of an aggregatable report in the form of scenario files. */
function contributionsOf(payload: Json): readonly Contribution[] {
  const histograms: Json | undefined = isJsonObject(payload) ? payload['histograms'] : undefined;
  return isJsonArray(histograms) ? histograms.flatMap(contributionOf) : [];
}

const isJsonArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

function contributionOf(histogram: Json): readonly Contribution[] {
  if (!isJsonObject(histogram)) return [];
  const { key, value } = histogram;
  return typeof key === 'string' && typeof value === 'number'
    ? [{ bucket: BigInt(key), value: BigInt(value) }]
    : [];
}
