import { seededRandomStreams } from '../random/sources';
import { RandomNumbers } from './random-numbers';

/** What a model may know of a feature: `known` to the ad tech anyway, or `sensitive`, such as what happened on other sites. */
export type FeatureRole = 'known' | 'sensitive';

interface CategoryField {
  readonly name: string;
  readonly role: FeatureRole;
  /** How many different values it has after hashing, or in its vocabulary. */
  readonly buckets: number;
}

interface NumberField {
  readonly name: string;
  readonly role: FeatureRole;
}

/** Rows by which privacy units are told apart; equal numbers mean the same user, publisher or advertiser. */
interface UnitColumns {
  readonly user: Int32Array;
  readonly publisher: Int32Array;
  readonly advertiser: Int32Array;
}

/** `conversion`: 0 or 1. `number`: how many conversions. `value`: what they are worth, any number of at least 0. */
export type LabelKind = 'conversion' | 'number' | 'value';

/** What the columns of examples are. */
export interface ExampleFields {
  readonly label: LabelKind;
  readonly categories: readonly CategoryField[];
  readonly numbers: readonly NumberField[];
}

/** Impressions with features and labels, in order of time. Columns of rows: value of field f in row r is at r · (number of fields) + f. */
export interface Examples {
  readonly count: number;
  readonly fields: ExampleFields;
  /** The bucket of each categorical feature; −1 where the model must not see it. */
  readonly categories: Int32Array;
  readonly numbers: Float32Array;
  /** The labels, of the kind that the fields name. Noisy and de-biased labels can be any number. */
  readonly labels: Float32Array;
  /** When the impression happened, and how long after it its label was known, both in milliseconds. */
  readonly times: Float64Array;
  readonly delays: Float64Array;
  readonly units: UnitColumns;
}

/**
 * The examples of these rows, and no copy if that is all of them.
 * @param rows in order, each at most once.
 */
export const onlyRows = (examples: Examples, rows: Int32Array): Examples =>
  rows.length === examples.count ? examples : selectRows(examples, rows);

/** The examples of these rows, in this order. */
export function selectRows(examples: Examples, rows: readonly number[] | Int32Array): Examples {
  const { fields, units } = examples;
  const wide = fields.categories.length;
  const deep = fields.numbers.length;
  const categories = new Int32Array(rows.length * wide);
  const numbers = new Float32Array(rows.length * deep);
  rows.forEach((row, place) => {
    categories.set(examples.categories.subarray(row * wide, (row + 1) * wide), place * wide);
    numbers.set(examples.numbers.subarray(row * deep, (row + 1) * deep), place * deep);
  });
  const picked = <Values extends Int32Array | Float32Array | Float64Array>(
    into: Values,
    column: Values,
  ): Values => {
    for (let place = 0; place < rows.length; place++) into[place] = column[rows[place] ?? 0] ?? 0;
    return into;
  };
  const ints = (column: Int32Array): Int32Array => picked(new Int32Array(rows.length), column);
  return {
    count: rows.length,
    fields,
    categories,
    numbers,
    labels: picked(new Float32Array(rows.length), examples.labels),
    times: picked(new Float64Array(rows.length), examples.times),
    delays: picked(new Float64Array(rows.length), examples.delays),
    units: { user: ints(units.user), publisher: ints(units.publisher), advertiser: ints(units.advertiser) },
  };
}

/** The rows of which this is true, in order. `filter` and `from` of typed arrays would first make a list, which takes several times the memory. */
export function rowsWhere(count: number, isTrue: (row: number) => boolean): Int32Array {
  let length = 0;
  for (let row = 0; row < count; row++) if (isTrue(row)) length += 1;
  const rows = new Int32Array(length);
  for (let row = 0, place = 0; place < length; row++) if (isTrue(row)) rows[place++] = row;
  return rows;
}

const convertedRows = ({ count, labels }: Examples): Int32Array =>
  rowsWhere(count, (row) => (labels[row] ?? 0) > 0);

/**
 * The examples whose labels are to be learnt.
 * @param label their kind, or `conversion`: whether there was anything.
 * @param which `conversions`: only those with a label above 0. Whether there was a conversion is then not protected.
 * @throws RangeError when the labels are of another kind.
 */
export function labelledExamples(
  examples: Examples,
  label: LabelKind,
  which: 'all' | 'conversions' = 'all',
): Examples {
  const chosen = which === 'all' ? examples : selectRows(examples, convertedRows(examples));
  const { fields, labels } = chosen;
  if (label === fields.label) return chosen;
  if (label !== 'conversion')
    throw new RangeError(
      `a figure has the label ${label}, but the labels of the data are of the kind ${fields.label}`,
    );
  return { ...chosen, fields: { ...fields, label }, labels: labels.map((value) => (value > 0 ? 1 : 0)) };
}

export const withLabels = (examples: Examples, labels: Float32Array): Examples => ({ ...examples, labels });

/**
 * The same examples without their sensitive features: buckets are −1, numbers 0. The model's shape stays the same. Columns without sensitive features are
 * not copied, because threads share them.
 */
export function withoutSensitive(examples: Examples): Examples {
  const { categories, numbers } = examples.fields;
  return {
    ...examples,
    categories: hidden(examples.categories, categories, -1),
    numbers: hidden(examples.numbers, numbers, 0),
  };
}

function hidden<Values extends Int32Array | Float32Array>(
  values: Values,
  fields: readonly { readonly role: FeatureRole }[],
  value: number,
): Values {
  const sensitive = fields.flatMap(({ role }, index) => (role === 'sensitive' ? [index] : []));
  if (sensitive.length === 0) return values;
  const copy = values.slice() as Values;
  for (let row = 0; row < copy.length; row += fields.length)
    for (const index of sensitive) copy[row + index] = value;
  return copy;
}

export interface Split {
  readonly training: Examples;
  readonly validation: Examples;
  readonly test: Examples;
}

/** Shares of the examples; the rest is test data. */
export interface ShareOfParts {
  readonly training: number;
  readonly validation: number;
  /** The seed of a random split; null: in order of time. */
  readonly random: string | null;
}

export const splitExamples = (examples: Examples, shares: ShareOfParts): Split =>
  shares.random === null
    ? splitByTime(examples, shares)
    : splitAtRandom(examples, shares, new RandomNumbers(seededRandomStreams(shares.random, 'split')(0)));

/** Splits at random, each part in order of time, with complete labels: no part ends before another begins. */
function splitAtRandom(examples: Examples, shares: ShareOfParts, random: RandomNumbers): Split {
  const { count } = examples;
  const [first, second] = endsOf(count, shares);
  const byTime = rowsByTime(examples);
  const order = random.order(count);
  const part = (from: number, to: number): Examples =>
    selectRows(
      examples,
      order
        .slice(from, to)
        .sort()
        .map((place) => byTime[place] ?? 0),
    );
  return { training: part(0, first), validation: part(first, second), test: part(second, count) };
}

const endsOf = (
  count: number,
  { training, validation }: { readonly training: number; readonly validation: number },
): readonly [number, number] => [Math.floor(count * training), Math.floor(count * (training + validation))];

/**
 * Splits by time: the first `training` of the rows, then `validation`, and the rest as test data (shares of 1). A training or validation
 * label that was not known yet when that part ended counts as 0, because nobody could have trained on it. Test labels are complete.
 */
export function splitByTime(
  examples: Examples,
  shares: { readonly training: number; readonly validation: number },
): Split {
  const [first, second] = endsOf(examples.count, shares);
  const part = partsByTime(examples);
  return {
    training: asKnownAtEnd(part(0, first)),
    validation: asKnownAtEnd(part(first, second)),
    test: part(second, examples.count),
  };
}

/** Gives a span of the rows in order of time: a view where that is the order of the rows, a copy elsewhere. */
function partsByTime(examples: Examples): (from: number, to: number) => Examples {
  const { times } = examples;
  if (times.every((time, row) => row === 0 || (times[row - 1] ?? 0) <= time))
    return (from, to) => viewOf(examples, from, to);
  const order = rowsByTime(examples);
  return (from, to) => selectRows(examples, order.subarray(from, to));
}

const rowsByTime = ({ times, count }: Examples): Int32Array =>
  Int32Array.from({ length: count }, (_, row) => row).sort(
    (a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b,
  );

function viewOf(examples: Examples, from: number, to: number): Examples {
  const { fields, units } = examples;
  const [wide, deep] = [fields.categories.length, fields.numbers.length];
  return {
    count: to - from,
    fields,
    categories: examples.categories.subarray(from * wide, to * wide),
    numbers: examples.numbers.subarray(from * deep, to * deep),
    labels: examples.labels.subarray(from, to),
    times: examples.times.subarray(from, to),
    delays: examples.delays.subarray(from, to),
    units: {
      user: units.user.subarray(from, to),
      publisher: units.publisher.subarray(from, to),
      advertiser: units.advertiser.subarray(from, to),
    },
  };
}

function asKnownAtEnd(examples: Examples): Examples {
  const end = examples.times[examples.count - 1] ?? 0;
  return withLabels(
    examples,
    examples.labels.map((label, row) =>
      (examples.times[row] ?? 0) + (examples.delays[row] ?? 0) <= end ? label : 0,
    ),
  );
}
