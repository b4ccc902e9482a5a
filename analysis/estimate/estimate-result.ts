import type { Mechanism } from '../../src/model/mechanisms';
import {
  choice,
  integer,
  list,
  number,
  orNull,
  plain,
  string,
  codec,
  pair,
  type Codec,
} from '../../formats/codec/codec';
import {
  Fields,
  orUndefined,
  record,
  required,
  type FieldsOf,
  type RecordCodec,
} from '../../formats/codec/record';
import { ISO_TIME } from '../../formats/codec/time';
import type { Randomness } from './interval';
import type { JoinCounts } from './join';
import type { LostReports } from './lost-reports';
import { lostReportsJson } from './lost-reports-json';
import type { Quantity } from './quantities';
import type { Shortfall } from './shortfall';

/** The JSON of estimates, from `cointoss estimate` and the collector's `/estimates`. */
export interface EstimateResultJson {
  readonly level: number;
  readonly randomness: Randomness;
  /** ISO 8601. Sources with a report window that ends later are left out; null: none are. */
  readonly as_of: string | null;
  readonly sources: SnakeCased<JoinCounts['sources']>;
  readonly reports: ReportCountsJson;
  readonly configurations: readonly ConfigurationJson[];
  /** The conversions of each group over all configurations that count them. */
  readonly totals: readonly GroupJson[];
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
  /** Null if none seems lost. */
  readonly lost_reports: LostReports | null;
  /** Null without estimates by maximum likelihood. If the model does not fit, there are none, either. */
  readonly likelihood_model: 'fits' | 'does-not-fit' | null;
  readonly not_estimable: readonly QuantityJson[];
  readonly groups: readonly GroupJson[];
}

/** The estimates of one group of sources. */
export interface GroupJson {
  readonly group: Readonly<Record<string, string>>;
  readonly sources: number;
  readonly estimates: readonly EstimateJson[];
}

/** What is estimated. */
export interface QuantityJson {
  readonly quantity: Quantity['kind'];
  readonly trigger_data?: number;
  readonly window_end?: number;
  readonly bucket?: readonly [number, number];
  readonly state?: string;
  readonly value?: number;
  readonly values?: readonly number[];
}

/** An estimate, beside what was observed and how much of that is noise on average. */
export interface EstimateJson extends QuantityJson {
  readonly observed: number | null;
  readonly noise: number | null;
  readonly noise_share: number | null;
  readonly estimate: number | null;
  readonly variance: number | null;
  readonly interval: readonly [number | null, number | null];
  readonly likelihood?: LikelyEstimateJson;
}

/** An estimate by maximum likelihood. */
interface LikelyEstimateJson {
  readonly estimate: number;
  readonly interval: readonly [number, number];
}

/** The same fields, named as in JSON. */
export type SnakeCased<T> = { readonly [Name in keyof T & string as SnakeCase<Name>]: T[Name] };

/** A name as in JSON. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

export const count = integer(0, Number.MAX_SAFE_INTEGER);
const numberOrNull = orNull(number());

/** Values by names that anyone may choose. */
export const byName = <T>(of: Codec<T>): Codec<Readonly<Record<string, T>>> =>
  codec(
    (place) => {
      const fields = new Fields(place);
      const read = [...fields.names()].map((name) => [name, fields.required<T | null>(name, of, null)]);
      return Object.fromEntries(read) as Record<string, T>; // every name is present
    },
    (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, of.write(value)])),
    { type: 'object', additionalProperties: of.schema },
  );

export const isoTime: Codec<string> = plain(
  (place) => {
    if (typeof place.value === 'string' && ISO_TIME.test(place.value)) return place.value;
    place.expected('time');
    return '';
  },
  { type: 'string', pattern: ISO_TIME.source },
);

const quantityKind = choice(
  'conversion-rate',
  'conversions',
  'trigger-data',
  'window',
  'trigger-data-and-window',
  'bucket',
  'value',
  'state',
  'state-with-share',
  'label',
  'label-with-share',
  'bin',
  'label-sum',
  'binned-sum',
);
const mechanismKind = choice('rr', 'rr-with-prior', 'rr-on-bins', 'unbiased');

const quantityFields: FieldsOf<QuantityJson> = {
  quantity: required('quantity', quantityKind),
  trigger_data: orUndefined('trigger_data', count),
  window_end: orUndefined('window_end', number()),
  bucket: orUndefined('bucket', pair(count)),
  state: orUndefined('state', string),
  value: orUndefined('value', number()),
  values: orUndefined('values', list(number())),
};

const estimate = record<EstimateJson>({
  ...quantityFields,
  observed: required('observed', numberOrNull),
  noise: required('noise', numberOrNull),
  noise_share: required('noise_share', numberOrNull),
  estimate: required('estimate', numberOrNull),
  variance: required('variance', numberOrNull),
  interval: required('interval', pair(numberOrNull)),
  likelihood: orUndefined(
    'likelihood',
    record<LikelyEstimateJson>({
      estimate: required('estimate', number()),
      interval: required('interval', pair(number())),
    }),
  ),
});

const group = record<GroupJson>({
  group: required('group', byName(string)),
  sources: required('sources', count),
  estimates: required('estimates', list(estimate)),
});

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
  lost_reports: required('lost_reports', orNull(lostReportsJson)),
  likelihood_model: required('likelihood_model', orNull(choice('fits', 'does-not-fit'))),
  not_estimable: required('not_estimable', list(record(quantityFields))),
  groups: required('groups', list(group)),
});

export const sourceCounts = record<EstimateResultJson['sources']>({
  read: required('read', count),
  repeated: required('repeated', count),
  used: required('used', count),
  missing: required('missing', count),
  impossible: required('impossible', count),
  ambiguous: required('ambiguous', count),
  unknown_configuration: required('unknown_configuration', count),
  open: required('open', count),
  incomplete: required('incomplete', count),
});

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
  totals: required('totals', list(group)),
  grace: orUndefined('grace', orNull(count)),
  clock_ahead: orUndefined('clock_ahead', count),
});
