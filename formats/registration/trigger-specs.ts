import type { SourceType } from '../../src/model/limits';
import {
  MAX_CONVERSIONS,
  MAX_UINT32,
  type ReportWindows,
  type TriggerDataMatching,
  type TriggerSpec,
} from '../../src/model/registration';
import type { Duration } from '../../src/model/units';
import { distinct, integer, list, choice, type Parser } from '../codec/codec';
import { object, type Fields } from '../codec/record';
import type { Place } from '../codec/issues';
import { reportWindows } from './report-windows';

const MAX_TRIGGER_DATA = 32;
const DEFAULT_CARDINALITY: Readonly<Record<SourceType, number>> = { navigation: 8, event: 2 };

interface SpecContext {
  readonly sourceType: SourceType;
  readonly expiry: Duration;
  readonly windows: ReportWindows;
  readonly maxEventLevelReports: number;
  readonly matching: TriggerDataMatching;
}

const uint32 = integer(0, MAX_UINT32);
const triggerDataList = distinct(uint32, { max: MAX_TRIGGER_DATA });
const triggerDataOfSpec = distinct(uint32, { min: 1, max: MAX_TRIGGER_DATA });
const summaryOperator = choice('count', 'value_sum');
const bucketList = list(integer(1, MAX_UINT32), { min: 1 });

/** `trigger_data` (ARA, "parse trigger data into a trigger data set") or `trigger_specs` (flexible_event_config.md). */
export function triggerSpecs(
  fields: Fields,
  context: SpecContext,
): { specs: readonly TriggerSpec[]; flexible: boolean } {
  const flexible = fields.has('trigger_specs');
  const simple = fields.optional<readonly number[] | null>(
    'trigger_data',
    (place) => {
      if (flexible) place.error('field-beside', { other: 'trigger_specs' });
      const data = triggerDataList(place);
      if (context.matching === 'modulus') requireContiguous(data, place);
      return data;
    },
    null,
  );
  const specs = flexible
    ? fields.optional('trigger_specs', specList(context), [])
    : [simpleSpec(simple ?? range(DEFAULT_CARDINALITY[context.sourceType]), context)];
  return { specs, flexible };
}

const specList =
  (context: SpecContext): Parser<readonly TriggerSpec[]> =>
  (place) => {
    const specs = place.attempt(list(triggerSpec(context), { max: MAX_TRIGGER_DATA }));
    if (specs === null) return [];
    const data = specs.flatMap((spec) => spec.triggerData);
    if (data.length > MAX_TRIGGER_DATA) {
      place.error('too-much-trigger-data', { max: MAX_TRIGGER_DATA, count: data.length });
    }
    const repeated = data.find((value, index) => data.indexOf(value) < index);
    if (repeated !== undefined) place.error('repeated-trigger-data', { data: repeated });
    if (context.matching === 'modulus') requireContiguous(data, place);
    return specs;
  };

const triggerSpec = ({ expiry, windows, maxEventLevelReports }: SpecContext): Parser<TriggerSpec> =>
  object((fields) => {
    const operator = fields.optional('summary_operator', summaryOperator, 'count');
    return {
      triggerData: fields.required('trigger_data', triggerDataOfSpec, []),
      windows: fields.optional('event_report_windows', reportWindows(expiry), windows),
      summaryOperator: operator,
      summaryBuckets: fields.optional(
        'summary_buckets',
        summaryBuckets(maxEventLevelReports, operator),
        countingBuckets(maxEventLevelReports),
      ),
    };
  });

const summaryBuckets =
  (maxEventLevelReports: number, operator: TriggerSpec['summaryOperator']): Parser<readonly number[]> =>
  (place) => {
    const buckets = place.attempt(bucketList);
    if (buckets === null) return [];
    if (buckets.length > maxEventLevelReports) {
      place.error('too-many-buckets', { max: maxEventLevelReports, count: buckets.length });
    }
    buckets.forEach((bucket, index) => {
      const previous = buckets[index - 1];
      if (previous !== undefined && bucket <= previous) {
        place.item(index, bucket).error('bucket-order', { previous, bucket });
      }
      // A value may be large, but each conversion counts one.
      if (operator === 'count' && bucket > MAX_CONVERSIONS) {
        place.item(index, bucket).warn('bucket-beyond-conversions', { max: MAX_CONVERSIONS });
      }
    });
    return buckets;
  };

function simpleSpec(
  triggerData: readonly number[],
  { windows, maxEventLevelReports }: SpecContext,
): TriggerSpec {
  return {
    triggerData,
    windows,
    summaryOperator: 'count',
    summaryBuckets: countingBuckets(maxEventLevelReports),
  };
}

// "If omitted, then represents a trivial mapping [1, 2, ... , max_event_level_reports]."
const countingBuckets = (max: number): readonly number[] => range(max).map((index) => index + 1);

/** With `modulus`, the trigger data of all specs together must be 0, 1, … n−1, in any order. */
function requireContiguous(data: readonly number[], place: Place): void {
  const sorted = [...data].sort((a, b) => a - b);
  if (sorted.some((value, index) => value !== index)) {
    place.error('trigger-data-gaps', { last: Math.max(data.length - 1, 0), was: data.join(', ') });
  }
}

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);
