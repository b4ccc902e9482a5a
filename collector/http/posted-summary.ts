import { bucket } from '../../analysis/aggregate/summary';
import { boolean, number, orNull, string, type Codec } from '../../formats/codec/codec';
import type { Place } from '../../formats/codec/issues';
import { record, required } from '../../formats/codec/record';
import type { SummarySlice } from '../../analysis/estimate/result/campaigns';
import type { LineParser } from './read-lines';

/** A row that `cointoss aggregate --tree --slices` writes: of a bucket, or of a slice. */
interface SummaryLine {
  readonly bucket: bigint | null;
  readonly value: number | null;
  readonly standardError: number | null;
  readonly low: number | null;
  readonly high: number | null;
  readonly discovered: boolean | null;
  readonly consistent: number | null;
  readonly consistentError: number | null;
  readonly consistentLow: number | null;
  readonly consistentHigh: number | null;
  readonly slice: string | null;
}

const numberOrNull = orNull(number());

const summaryLine: Codec<SummaryLine> = record<SummaryLine>({
  bucket: required('bucket', orNull(bucket)),
  value: required('value', numberOrNull),
  standardError: required('standard_error', numberOrNull),
  low: required('low', numberOrNull),
  high: required('high', numberOrNull),
  discovered: required('discovered', orNull(boolean)),
  consistent: required('consistent', numberOrNull),
  consistentError: required('consistent_error', orNull(number(0, Number.MAX_VALUE))),
  consistentLow: required('consistent_low', numberOrNull),
  consistentHigh: required('consistent_high', numberOrNull),
  slice: required('slice', orNull(string)),
});

/** Null for the row of a bucket. */
export const sliceLine: LineParser<SummarySlice> = Object.assign(
  (place: Place): SummarySlice | null => {
    const { slice, consistent, consistentError, consistentLow, consistentHigh } = summaryLine(place);
    return slice === null ||
      consistent === null ||
      consistentError === null ||
      consistentLow === null ||
      consistentHigh === null
      ? null
      : { slice, estimate: consistent, error: consistentError, low: consistentLow, high: consistentHigh };
  },
  { schema: summaryLine.schema },
);

export const summarySlice: Codec<SummarySlice> = record<SummarySlice>({
  slice: required('slice', string),
  estimate: required('estimate', number()),
  error: required('error', number()),
  low: required('low', number()),
  high: required('high', number()),
});
