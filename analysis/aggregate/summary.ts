import type { RandomSource } from '../../src/privacy/random-source';
import { boolean, list, number, codec, type Codec } from '../../formats/codec/codec';
import { record, required, type RecordCodec } from '../../formats/codec/record';
import type { SummaryNoise } from './noise';

/** A bucket of a summary report. */
export interface SummaryRow {
  readonly bucket: bigint;
  /** The sum of the contributions, with noise. */
  readonly value: number;
  readonly standardError: number;
  /** The ends of the interval. */
  readonly low: number;
  readonly high: number;
  /** Reported because of its value, although nobody expected it. */
  readonly discovered: boolean;
}

const BUCKET = /^0x[0-9a-f]{1,32}$/;

/** A bucket as aggregation keys are written in registrations. */
export const bucket: Codec<bigint> = codec(
  (place) => {
    if (typeof place.value === 'string' && BUCKET.test(place.value)) return BigInt(place.value);
    place.expected('key-piece');
    return 0n;
  },
  (value) => `0x${value.toString(16)}`,
  { type: 'string', pattern: BUCKET.source },
);

export const summaryRow: RecordCodec<SummaryRow> = record<SummaryRow>({
  bucket: required('bucket', bucket),
  value: required('value', number()),
  standardError: required('standard_error', number()),
  low: required('low', number()),
  high: required('high', number()),
  discovered: required('discovered', boolean),
});

export const summaryRows: Codec<readonly SummaryRow[]> = list(summaryRow);

export interface SummaryOptions {
  /** The buckets that are reported whatever their value. */
  readonly expected: ReadonlySet<bigint>;
  /** Also reports other buckets above the noise's threshold for this δ; null: none. */
  readonly discoveryDelta: number | null;
  /** The confidence level of the intervals, between 0 and 1. */
  readonly level: number;
}

/**
 * A summary report, sorted by bucket.
 * @param sums the exact sums, which nobody may see.
 */
export function summarize(
  sums: ReadonlyMap<bigint, bigint>,
  noise: SummaryNoise,
  { expected, discoveryDelta, level }: SummaryOptions,
  random: RandomSource,
): readonly SummaryRow[] {
  const halfWidth = noise.halfWidth(level);
  const row = (key: bigint, noisy: bigint, discovered: boolean): SummaryRow => ({
    bucket: key,
    value: Number(noisy),
    standardError: noise.standardError,
    low: Number(noisy - halfWidth),
    high: Number(noisy + halfWidth),
    discovered,
  });
  const noisySum = (key: bigint): bigint => (sums.get(key) ?? 0n) + noise.draw(random);
  const rows = [...expected].map((key) => row(key, noisySum(key), false));
  if (discoveryDelta !== null) {
    const threshold = noise.threshold(discoveryDelta);
    for (const key of sums.keys()) {
      const noisy = expected.has(key) ? null : noisySum(key);
      if (noisy !== null && noisy >= threshold) rows.push(row(key, noisy, true));
    }
  }
  return rows.sort((a, b) => (a.bucket < b.bucket ? -1 : 1));
}
