import type { Json } from '../../src/model/json';
import { distinct, integer, list, number, choice, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse, type Parsed } from '../../formats/codec/issues';
import { delimiter } from '../simulation/csv-mapping';
import type { FeatureRole, LabelKind, ShareOfParts } from './examples';

const UNITS = { milliseconds: 1, seconds: 1000, minutes: 60_000, days: 86_400_000 } as const;

/** A column with a time or a span of time. */
interface TimeColumn {
  readonly column: string;
  /** Milliseconds in the column's unit. */
  readonly unit: number;
}

export interface LabelColumn {
  readonly kind: LabelKind;
  readonly column: string;
  /** Cells that mean 0. */
  readonly none: readonly string[];
  /** Larger labels count as this. */
  readonly clip: number;
  /** When a label other than 0 was known: how long after the example, or at which time. Null: at once. */
  readonly delay: TimeColumn | null;
  readonly at: TimeColumn | null;
}

/**
 * `hashed`: a category, by the hash of its value. `vocabulary`: a category, of which the training data's most frequent values have a bucket
 * each, and the others one together. `listed`: a category with a bucket for each value of a public list, and one for all others. `log`: a number x, as sign(x)·log(1 + |x|). `standard`: a number, less the mean of the training data
 * and divided by their standard deviation.
 */
type FeatureKind = 'hashed' | 'vocabulary' | 'listed' | 'log' | 'standard';

export interface DataFeature {
  readonly column: string;
  readonly role: FeatureRole;
  readonly kind: FeatureKind;
  /** The number of buckets of a hash, or of a vocabulary with the bucket of all other values. */
  readonly buckets: number;
  /** For `listed`: the values of the list. */
  readonly values: readonly string[];
  /** For `hashed`: the largest share of rows that may share their bucket with another value. */
  readonly collisions: number;
}

/** What the columns of a log are, and how its rows become examples; docs/lab-data.md describes the file. */
export interface DataMap {
  /** Null: the format follows from the file's name. */
  readonly delimiter: string | null;
  /** The names of the columns of CSV without a header. */
  readonly columns: readonly string[] | null;
  /** Null: the rows are in order of time. */
  readonly time: TimeColumn | null;
  readonly label: LabelColumn;
  /** Columns that tell privacy units apart. */
  readonly units: Readonly<Record<UnitName, string | null>>;
  readonly features: readonly DataFeature[];
  readonly split: ShareOfParts;
}

export type UnitName = 'user' | 'publisher' | 'advertiser';

export function parseDataMap(document: Json): Parsed<DataMap> {
  return parse(document, (place) => {
    const fields = new Fields(place);
    const label = fields.required('label', labelColumn, NO_LABEL);
    const later = fields.optional('known_later', list(string), []);
    const tooLate = new Set([
      ...later,
      ...[label.column, label.delay?.column, label.at?.column].filter((column) => column !== undefined),
    ]);
    const map: DataMap = {
      delimiter: fields.optional<string | null>('delimiter', delimiter, null),
      columns: fields.optional<readonly string[] | null>('columns', distinct(string, { min: 1 }), null),
      time: fields.optional<TimeColumn | null>('time', timeColumn, null),
      label,
      units: fields.optional('units', units, NO_UNITS),
      features: fields.required('features', list(features(tooLate), { min: 1 }), []).flat(),
      split: fields.optional('split', split, { training: 0.7, validation: 0.1, random: null }),
    };
    fields.refuseUnknown();
    return map;
  });
}

/** Every column that a map reads. */
export const columnsIn = ({ time, label, units, features }: DataMap): readonly string[] => [
  ...new Set(
    [
      time?.column,
      label.column,
      label.delay?.column,
      label.at?.column,
      ...Object.values(units),
      ...features.map(({ column }) => column),
    ].filter((column) => typeof column === 'string'),
  ),
];

const NO_LABEL: LabelColumn = {
  kind: 'conversion',
  column: '',
  none: [],
  clip: Infinity,
  delay: null,
  at: null,
};
const NO_UNITS = { user: null, publisher: null, advertiser: null };

const timeColumn: Parser<TimeColumn> = (place) => {
  const fields = new Fields(place);
  const unit = fields.required('unit', choice('milliseconds', 'seconds', 'minutes', 'days'), null);
  const read = { column: fields.required('column', string, ''), unit: UNITS[unit ?? 'seconds'] };
  fields.refuseUnknown();
  return read;
};

const labelColumn: Parser<LabelColumn> = (place) => {
  const fields = new Fields(place);
  const read: LabelColumn = {
    kind: fields.required('kind', choice('conversion', 'number', 'value'), 'conversion'),
    column: fields.required('column', string, ''),
    none: fields.optional('none', list(string), []),
    clip: fields.optional('clip', number(0, Number.MAX_VALUE), Infinity),
    delay: fields.optional<TimeColumn | null>('delay', timeColumn, null),
    at: fields.optional<TimeColumn | null>('at', timeColumn, null),
  };
  if (read.delay !== null && read.at !== null) place.at('at', null).error('field-beside', { other: 'delay' });
  fields.refuseUnknown();
  return read;
};

const units: Parser<DataMap['units']> = (place) => {
  const fields = new Fields(place);
  const column = (name: UnitName): string | null => fields.optional<string | null>(name, string, null);
  const read = { user: column('user'), publisher: column('publisher'), advertiser: column('advertiser') };
  fields.refuseUnknown();
  return read;
};

const MAX_BUCKETS = 2 ** 24;

/** With more, a model is worse without any sign of why. */
const MOST_COLLISIONS = 0.05;

/** Several columns that are treated in the same way. */
const features =
  (tooLate: ReadonlySet<string>): Parser<readonly DataFeature[]> =>
  (place) => {
    const fields = new Fields(place);
    const role = fields.required('role', choice('known', 'sensitive'), 'known');
    // A mean or a vocabulary of sensitive values would tell something of them.
    const kinds =
      role === 'known'
        ? (['hashed', 'vocabulary', 'listed', 'log', 'standard'] as const)
        : (['hashed', 'listed', 'log'] as const);
    const kind = fields.required('kind', choice<FeatureKind>(...kinds), 'log');
    const isCategory = kind === 'hashed' || kind === 'vocabulary';
    const values = kind === 'listed' ? fields.required('values', distinct(string, { min: 1 }), []) : [];
    const buckets = isCategory
      ? fields.required('buckets', integer(2, MAX_BUCKETS), 2)
      : kind === 'listed'
        ? values.length + 1
        : 0;
    const collisions = kind === 'hashed' ? fields.optional('collisions', number(0, 1), MOST_COLLISIONS) : 0;
    const column: Parser<string> = (at) => {
      const name = string(at);
      if (tooLate.has(name)) at.expected('known-in-time');
      return name;
    };
    const columns = fields.required('columns', distinct(column, { min: 1 }), []);
    fields.refuseUnknown();
    return columns.map((name) => ({ column: name, role, kind, buckets, values, collisions }));
  };

const split: Parser<DataMap['split']> = (place) => {
  const fields = new Fields(place);
  const training = fields.required('training', number(0.01, 0.98), 0.7);
  const read = {
    training,
    validation: fields.required('validation', number(0.01, 0.99 - training), 0.1),
    random: fields.optional<string | null>('random', string, null),
  };
  fields.refuseUnknown();
  return read;
};
