import type { Mechanism } from '../../../src/model/mechanisms';
import { choice, list, number, orNull, string } from '../../../formats/codec/codec';
import {
  orUndefined,
  record,
  required,
  type FieldsOf,
  type RecordCodec,
} from '../../../formats/codec/record';
import { mechanismKind } from '../../../formats/settings/mechanism';
import type { Randomness } from '../intervals/interval';
import {
  group,
  quantityFields,
  total,
  type GroupJson,
  type QuantityJson,
  type TotalJson,
} from './group-result';
import type { JoinCounts } from '../join/join';
import { byName, count, isoTime } from './json-fields';
import { lostReportsJson, type LostReportsJson } from './lost-reports-json';
import type { Mismatch } from '../unbiased/mismatch';
import type { Shortfall } from '../unbiased/shortfall';

/** The JSON of estimates, from `cointoss estimate` and the collector's `/estimates`. */
export interface EstimateResultJson {
  readonly level: number;
  readonly randomness: Randomness;
  /** ISO 8601. Sources with a report window that ends later are left out; null: none are. */
  readonly as_of: string | null;
  readonly sources: SnakeCased<JoinCounts['sources']>;
  readonly reports: ReportCountsJson;
  readonly configurations: readonly ConfigurationJson[];
  /** The conversions of each group over all configurations that count them, compared with those of other groups. */
  readonly totals: readonly TotalJson[];
  /** How many seconds to wait for due reports; null if the request gave `as_of`. Only the collector waits. */
  readonly grace?: number | null;
  /** In a rehearsal: by how many seconds the test clock that `as_of` follows is ahead. */
  readonly clock_ahead?: number;
}

/** How the reports were used. */
type ReportCountsJson = SnakeCased<Omit<JoinCounts['reports'], 'inconsistent'>> & {
  readonly inconsistent: SnakeCased<JoinCounts['reports']['inconsistent']>;
  /** Lines that are not event-level reports. */
  readonly other_kinds: Readonly<Record<string, number>>;
};

/** The estimates of the sources of one configuration. */
export interface ConfigurationJson {
  readonly configuration: string;
  readonly mechanism: Mechanism<unknown>['kind'];
  readonly epsilon: number;
  readonly outputs: string;
  readonly replace_probability: number | null;
  readonly shortfall: Shortfall | null;
  /** Outputs that cannot come from the stated noise. Their groups, and all that these are part of, have no estimates. */
  readonly mismatches: readonly MismatchJson[];
  /** Null if none seems lost. If it does not fit, there are no intervals. */
  readonly lost_reports: LostReportsJson | null;
  /** Null without estimates by maximum likelihood. If the model does not fit, there are none, either. */
  readonly likelihood_model: 'fits' | 'does-not-fit' | null;
  readonly not_estimable: readonly QuantityJson[];
  readonly groups: readonly GroupJson[];
}

/** For one group, what cannot come from the stated noise. */
export interface MismatchJson extends Omit<Mismatch, 'group'> {
  readonly group: Readonly<Record<string, string>>;
}

/** The same fields, named as in JSON. */
export type SnakeCased<T> = { readonly [Name in keyof T & string as SnakeCase<Name>]: T[Name] };

/** A name as in JSON. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

const configuration = record<ConfigurationJson>({
  configuration: required('configuration', string),
  mechanism: required('mechanism', mechanismKind),
  epsilon: required('epsilon', number(0)),
  outputs: required('outputs', string),
  replace_probability: required('replace_probability', orNull(number(0, 1))),
  shortfall: required(
    'shortfall',
    orNull(
      record<Shortfall>({
        reports: required('reports', count),
        expected: required('expected', number(0)),
        observed: required('observed', count),
      }),
    ),
  ),
  mismatches: required(
    'mismatches',
    list(
      record<MismatchJson>({
        group: required('group', byName(string)),
        about: required('about', choice('reports', 'trigger-data', 'window', 'value')),
        which: required('which', orNull(count)),
        side: required('side', choice('at-most', 'at-least', 'exactly')),
        value: required('value', number()),
        expected: required('expected', number(0)),
        observed: required('observed', count),
      }),
    ),
  ),
  lost_reports: required('lost_reports', orNull(lostReportsJson)),
  likelihood_model: required('likelihood_model', orNull(choice('fits', 'does-not-fit'))),
  not_estimable: required('not_estimable', list(record(quantityFields))),
  groups: required('groups', list(group)),
});

const sourceFields: FieldsOf<EstimateResultJson['sources']> = {
  read: required('read', count),
  repeated: required('repeated', count),
  used: required('used', count),
  missing: required('missing', count),
  impossible: required('impossible', count),
  flooded: required('flooded', count),
  ambiguous: required('ambiguous', count),
  reused: required('reused', count),
  heartbeats: required('heartbeats', count),
  unknown_configuration: required('unknown_configuration', count),
  open: required('open', count),
  incomplete: required('incomplete', count),
};
export const sourceCounts = record<EstimateResultJson['sources']>(sourceFields);

export const reportCounts = record<ReportCountsJson>({
  read: required('read', count),
  used: required('used', count),
  duplicate: required('duplicate', count),
  unknown_source: required('unknown_source', count),
  unused_source: required('unused_source', count),
  late: required('late', count),
  other_rate: required('other_rate', count),
  inconsistent: required(
    'inconsistent',
    record<ReportCountsJson['inconsistent']>({
      trigger_data: required('trigger_data', count),
      window: required('window', count),
      bucket: required('bucket', count),
      too_many: required('too_many', count),
      value: required('value', count),
    }),
  ),
  other_kinds: required('other_kinds', byName(count)),
});

export const estimateResult: RecordCodec<EstimateResultJson> = record<EstimateResultJson>({
  level: required('level', number(0, 1)),
  randomness: required('randomness', choice<Randomness>('noise', 'noise-and-sampling')),
  as_of: required('as_of', orNull(isoTime)),
  sources: required('sources', sourceCounts),
  reports: required('reports', reportCounts),
  configurations: required('configurations', list(configuration)),
  totals: required('totals', list(total)),
  grace: orUndefined('grace', orNull(count)),
  clock_ahead: orUndefined('clock_ahead', count),
});
