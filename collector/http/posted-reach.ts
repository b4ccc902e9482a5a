import { reachMethods, type ReachMethod } from '../../analysis/reach/methods';
import { isJsonObject } from '../../src/model/json';
import { choice, integer, list, number, orNull, string, pair, type Codec } from '../../formats/codec/codec';
import type { Place } from '../../formats/codec/issues';
import { record, required } from '../../formats/codec/record';
import type { LineParser } from './read-lines';

/** How many people of a group have at least this many impressions. */
export interface ReachNumber {
  readonly by: ReachMethod;
  /** 1: all of them. */
  readonly impressions: number;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
  /** The share of all people who were reached. */
  readonly share: number | null;
  readonly share_low: number | null;
  readonly share_high: number | null;
  /** The columns of --group-by, and their values. */
  readonly group: readonly (readonly [column: string, value: string])[];
}

interface ReachLine extends Pick<ReachNumber, 'share' | 'share_low' | 'share_high'> {
  readonly by: ReachMethod;
  readonly quantity: 'reach' | 'frequency' | 'at-least';
  readonly impressions: number | null;
  readonly estimate: number;
  readonly low: number;
  readonly high: number;
}

const by = choice(...reachMethods);
const people = integer(1, Number.MAX_SAFE_INTEGER);
const share = orNull(number(0, 1));
const shares = {
  share: required('share', share),
  share_low: required('share_low', share),
  share_high: required('share_high', share),
};

/** A row that `cointoss reach` writes, without the columns of its group. */
const line = record<ReachLine>(
  {
    by: required('by', by),
    quantity: required('quantity', choice('reach', 'frequency', 'at-least')),
    impressions: required('impressions', orNull(people)),
    estimate: required('estimate', number()),
    low: required('low', number()),
    high: required('high', number()),
    ...shares,
  },
  { unknown: 'ignored' },
);

const fixed = new Set(Object.keys(line.schema['properties'] ?? {}));

/** Null for rows that the dashboard does not show: people with exactly so many impressions. */
export const reachLine: LineParser<ReachNumber> = Object.assign(
  (place: Place): ReachNumber | null => {
    const { quantity, impressions, ...numbers } = line(place);
    if (quantity === 'frequency') return null;
    const cells = isJsonObject(place.value) ? Object.entries(place.value) : [];
    const group = cells.flatMap(([column, value]) =>
      fixed.has(column) ? [] : [[column, typeof value === 'string' ? value : JSON.stringify(value)] as const],
    );
    return { ...numbers, impressions: impressions ?? 1, group };
  },
  { schema: line.schema },
);

export const reachNumber: Codec<ReachNumber> = record<ReachNumber>({
  by: required('by', by),
  impressions: required('impressions', people),
  estimate: required('estimate', number()),
  low: required('low', number()),
  high: required('high', number()),
  ...shares,
  group: required('group', list(pair(string))),
});
