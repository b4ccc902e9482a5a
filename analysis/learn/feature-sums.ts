import { factorise, isPositiveDefinite, solveFactored } from '../../numeric/vectors';
import { remembered } from '../../src/model/remembered';
import type { Examples } from './examples';
import { fieldOffsets } from './field-offsets';
import type { Model } from './model';
import type { PrivacyAccountant } from './privacy-accountant';
import { noiseDeviation, type PrivateBudget } from './private-train';
import type { RandomNumbers } from './random-numbers';

/** All sums that linear regression with squared loss needs: XᵀX and Xᵀy, in the order in which the equations are solved. */
interface FeatureSums {
  /** Lines of the lower triangle, without the zeros before the diagonal of the largest known category: an example has one value of it. */
  readonly products: readonly Float64Array[];
  readonly labels: Float64Array;
  /** Whether each product depends on what is protected: by line and column. */
  readonly isProtected: (line: number, column: number) => boolean;
  /** How far apart the protected sums are at most if an example has other sensitive features and another label. */
  readonly distance: number;
  /** Each number counts in units of this: then no feature moves a sum by more than another. */
  readonly scales: readonly number[];
  /** The model's parameter of each line: those of the largest known category first, so that its lines stay 0 but for the diagonal. */
  readonly order: readonly number[];
}

/** Sensitive numbers beyond are clipped (e⁴ is about 55), because noise hides only what has a bound. */
const MOST_NUMBER = 4;
/** The most products that are not always 0: three times 64 MiB. The equations then take most work if there is no known category: 2³⁵/3 multiplications. */
const MOST_PRODUCTS = 2 ** 23;
/** Of the largest known feature: each is a line in an array of its own, which takes more than a hundred bytes however short it is. */
const MOST_KNOWN_VALUES = 2 ** 18;
/** Noisy sums are rounded to multiples of the noise's standard deviation times this. */
const GRID = 2 ** -16;

/**
 * Linear regression from sums, where known features are public and the others are not (after Krichene, Mayoraz, Rendle, Song, Thakurta & Zhang 2023, "Private
 * learning with public features"). XᵀX and Xᵀy determine the model. Products of two known features need no noise. All sums with a sensitive feature or the
 * label get Gaussian noise, once, however long the model is fitted.
 * @param most the greatest label; those above count as this.
 * @param unit what the model's outputs are in units of.
 * @throws RangeError if values of features need too many sums, there are no examples, or a number is not finite.
 */
export function trainOnFeatureSums(
  model: Model,
  examples: Examples,
  { most, unit }: { readonly most: number; readonly unit: number },
  budget: PrivateBudget,
  random: RandomNumbers,
  accountant: PrivacyAccountant,
): void {
  const firstNumber = model.parameters.length - 1 - examples.fields.numbers.length;
  const { sums, deviation } = noisyFeatureSums(examples, most, budget, random, accountant);
  solved(sums, deviation).forEach((weight, place) => {
    model.parameters[place] = (weight * most) / unit / (sums.scales[place - firstNumber] ?? 1);
  });
}

const deviationFor = remembered(
  (epsilon: number, delta: number) => noiseDeviation(1, 1, { epsilon, delta }),
  (epsilon, delta) => `${epsilon} ${delta}`,
);

/** The sums with noise of this deviation on all that are protected. @throws RangeError as above. */
export function noisyFeatureSums(
  examples: Examples,
  most: number,
  { epsilon, delta, examplesPerUnit }: PrivateBudget,
  random: RandomNumbers,
  accountant: PrivacyAccountant,
): { readonly sums: FeatureSums; readonly deviation: number } {
  const sums = featureSums(examples, most, accountant);
  // The noise is for two sums that are 2 apart.
  const deviation = (deviationFor(epsilon, delta) * examplesPerUnit * sums.distance) / 2;
  accountant.spend({ what: 'feature-sums', epsilon, delta });
  addNoise(sums, deviation, random);
  return { sums, deviation };
}

/** An entry of an example's vector. */
interface Entry {
  readonly line: number;
  readonly value: number;
}

/** @throws RangeError as above. */
export function featureSums(examples: Examples, most: number, accountant: PrivacyAccountant): FeatureSums {
  const { fields } = examples;
  refuseTooMany(fields);
  const { offsets, total } = fieldOffsets(fields);
  const order = eliminationOrder(fields, offsets, total + fields.numbers.length + 1);
  const scales = scalesOf(examples);
  const products = linesOf(fields);
  const labels = new Float64Array(order.length);
  const fieldOfPlace = fieldsByPlace(examples, order.length);
  const fieldOfLine = order.map((place) => fieldOfPlace[place]);
  const lineOfPlace = new Int32Array(order.length);
  order.forEach((place, line) => (lineOfPlace[place] = line));
  let longest = 0;
  for (let row = 0; row < examples.count; row++) {
    const entries = entriesOf(examples, row, offsets, scales, lineOfPlace);
    const label = Math.min(accountant.readLabel(examples, row, 'labels'), most) / most;
    for (const { line, value } of entries) {
      labels[line] = (labels[line] ?? 0) + value * label;
      const sums = products[line] ?? labels;
      for (const other of entries) {
        const place = sums.length - 1 - line + other.line;
        if (other.line <= line) sums[place] = (sums[place] ?? 0) + value * other.value;
      }
    }
    const known = entries.filter(({ line }) => fieldOfLine[line]?.role !== 'sensitive');
    longest = Math.max(
      longest,
      known.reduce((sum, { value }) => sum + value ** 2, 0),
    );
  }
  const isProtected = (line: number, column: number): boolean => {
    const [one, other] = [fieldOfLine[line], fieldOfLine[column]];
    // An example has one value of a category, so two values of one have nothing in common.
    const isImpossible = one === other && line !== column;
    return !isImpossible && (one?.role === 'sensitive' || other?.role === 'sensitive');
  };
  const distance = Math.sqrt(squaredDistance(fields, longest));
  return { products, labels, isProtected, distance, scales, order };
}

/** How many parameters belong to the largest known category, and how many to all other features and the constant. */
function sizesOf({ categories, numbers }: Examples['fields']): {
  readonly first: number;
  readonly others: number;
} {
  const total = categories.reduce((sum, { buckets }) => sum + buckets, numbers.length + 1);
  const first = categories[largestKnown(categories)]?.buckets ?? 0;
  return { first, others: total - first };
}

/** @throws RangeError */
function refuseTooMany(fields: Examples['fields']): void {
  const { first, others } = sizesOf(fields);
  if (first > MOST_KNOWN_VALUES)
    throw new RangeError(
      `feature-sums: the largest known feature has ${first} values; at most ${MOST_KNOWN_VALUES} are possible`,
    );
  const products = first + others * (first + others / 2);
  if (products > MOST_PRODUCTS)
    throw new RangeError(
      `feature-sums: ${first} values of the largest known feature and ${others - 1} of all others need ${Math.ceil(products)} sums; at most ${MOST_PRODUCTS} are possible`,
    );
}

/** Zeros for all products that can be anything else. */
function linesOf(fields: Examples['fields']): readonly Float64Array[] {
  const { first, others } = sizesOf(fields);
  return Array.from({ length: first + others }, (_, line) => new Float64Array(line < first ? 1 : line + 1));
}

function eliminationOrder(
  { categories }: Examples['fields'],
  offsets: Int32Array,
  size: number,
): readonly number[] {
  const first = largestKnown(categories);
  const from = offsets[first] ?? 0;
  const end = from + (categories[first]?.buckets ?? 0);
  const isFirst = (place: number): boolean => place >= from && place < end;
  const places = Array.from({ length: size }, (_, place) => place);
  return [...places.filter(isFirst), ...places.filter((place) => !isFirst(place))];
}

/** The place of the largest category that is known; −1 if none is. */
function largestKnown(categories: Examples['fields']['categories']): number {
  let [found, most] = [-1, 0];
  categories.forEach(({ role, buckets }, field) => {
    if (role === 'known' && buckets > most) [found, most] = [field, buckets];
  });
  return found;
}

/** How many multiplications factorise the matrix once. */
export function multiplicationsOf(fields: Examples['fields']): number {
  const { first, others } = sizesOf(fields);
  return (others ** 2 / 2) * (first + others / 3);
}

type Field = Examples['fields']['categories'][number] | Examples['fields']['numbers'][number];

/** The field of each parameter; that of the constant is undefined. */
function fieldsByPlace({ fields }: Examples, size: number): readonly (Field | undefined)[] {
  const places: (Field | undefined)[] = fields.categories
    .flatMap((field): Field[] => Array.from({ length: field.buckets }, () => field))
    .concat(fields.numbers);
  places.length = size;
  return places;
}

/** What an example adds to the sums is the products of these. */
function entriesOf(
  { fields, categories, numbers }: Examples,
  row: number,
  offsets: Int32Array,
  scales: readonly number[],
  lineOfPlace: Int32Array,
): readonly Entry[] {
  const [wide, deep] = [offsets.length, fields.numbers.length];
  const total = (offsets[wide - 1] ?? 0) + (fields.categories[wide - 1]?.buckets ?? 0);
  const entries: Entry[] = [];
  const add = (place: number, value: number): number =>
    entries.push({ line: lineOfPlace[place] ?? 0, value });
  for (let field = 0; field < wide; field++) {
    const bucket = categories[row * wide + field] ?? -1;
    if (bucket >= 0) add((offsets[field] ?? 0) + bucket, 1);
  }
  for (let field = 0; field < deep; field++) {
    const number = (numbers[row * deep + field] ?? 0) / (scales[field] ?? 1);
    add(total + field, Math.max(-1, Math.min(1, number)));
  }
  add(total + deep, 1);
  return entries;
}

/** Known numbers need no bound: the greatest of them is as public as they are. */
const scalesOf = ({ fields, numbers }: Examples): readonly number[] =>
  fields.numbers.map(({ role }, field) => {
    if (role === 'sensitive') return MOST_NUMBER;
    let most = 0;
    for (let i = field; i < numbers.length; i += fields.numbers.length)
      most = Math.max(most, Math.abs(numbers[i] ?? 0));
    return most === 0 ? 1 : most;
  });

/** The examples as the sums count them: a model of clipped numbers must not predict from others. */
export const withClippedNumbers = (examples: Examples): Examples => ({
  ...examples,
  numbers: examples.numbers.map((number, i) =>
    examples.fields.numbers[i % examples.fields.numbers.length]?.role === 'sensitive'
      ? Math.max(-MOST_NUMBER, Math.min(MOST_NUMBER, number))
      : number,
  ),
});

/**
 * A bound on how far the protected sums move, squared, if an example gets other sensitive features and another label from 0 to 1. Another value of a category
 * moves two sums by 1, and another number one sum by 2, or its square by 1.
 * @param known the greatest squared length of an example's known entries.
 */
function squaredDistance({ categories, numbers }: Examples['fields'], known: number): number {
  const isSensitive = ({ role }: Field): boolean => role === 'sensitive';
  const [values, amounts] = [categories.filter(isSensitive).length, numbers.filter(isSensitive).length];
  const pairs = (count: number): number => (count * (count - 1)) / 2;
  const ofFeatures = 2 * values + 4 * amounts;
  const ofSquares = 2 * values + amounts;
  const ofPairs = 2 * pairs(values) + 4 * values * amounts + 4 * pairs(amounts);
  // With the known features, with each other, and with the label.
  return known * (ofFeatures + 1) + ofSquares + ofPairs + ofFeatures;
}

function addNoise(
  { products, labels, isProtected }: FeatureSums,
  deviation: number,
  random: RandomNumbers,
): void {
  const grid = deviation * GRID;
  const noisy = (sum: number): number => grid * Math.round((sum + deviation * random.normal()) / grid);
  products.forEach((sums, line) => {
    const start = line + 1 - sums.length;
    for (let place = 0; place < sums.length; place++)
      if (isProtected(line, start + place)) sums[place] = noisy(sums[place] ?? 0);
  });
  for (let line = 0; line < labels.length; line++) labels[line] = noisy(labels[line] ?? 0);
}

/**
 * The weights with the least error and penalty, in the order of the model's parameters. Noise may leave XᵀX without a least error, so the
 * penalty on sensitive features grows until there is one, and then twice: this uses noisy sums alone. The constant has no penalty.
 * @throws RangeError if there is no such penalty.
 */
function solved({ products, labels, isProtected, order }: FeatureSums, deviation: number): Float64Array {
  if ((products.at(-1)?.at(-1) ?? 0) === 0) throw new RangeError('feature-sums: there are no examples');
  // A number that is not finite is in the sum with the label, or makes all noise so.
  if (!labels.every(Number.isFinite))
    throw new RangeError('feature-sums: a feature or a label is not finite');
  const penalties = penaltiesOf(products, labels, deviation);
  for (let ofSensitive = 1; Number.isFinite(ofSensitive); ofSensitive *= 2) {
    const penalised = (factor: number): Float64Array[] =>
      products.map((sums, line) => {
        const copy = sums.slice();
        const last = copy.length - 1;
        const penalty = (penalties[line] ?? 0) * (isProtected(line, line) ? factor * ofSensitive : 1);
        copy[last] = (copy[last] ?? 0) + penalty;
        return copy;
      });
    if (!isPositiveDefinite(penalised(1))) continue;
    const factor = penalised(2);
    factorise(factor);
    const solution = labels.slice();
    solveFactored(factor, solution);
    const weights = new Float64Array(order.length);
    order.forEach((place, line) => (weights[place] = solution[line] ?? 0));
    return weights;
  }
  throw new RangeError('feature-sums: the equations have no solution');
}

/**
 * What makes each weight the mean of its posterior if it were alone: with a normal prior, it is that of noise over that of the weight's sum. The variance of
 * weights is estimated from the noisy sums. Without it, sums that are mostly noise would make large weights.
 */
function penaltiesOf(
  products: readonly Float64Array[],
  labels: Float64Array,
  deviation: number,
): Float64Array {
  const last = labels.length - 1;
  const squares = Float64Array.from(products, (line) => Math.max(1, line.at(-1) ?? 0));
  const constants = products[last] ?? labels;
  const mean = (labels[last] ?? 0) / (squares[last] ?? 1);
  let [signal, weight] = [0, 0];
  for (let place = 0; place < last; place++) {
    const beyondMean = (labels[place] ?? 0) - (constants[place] ?? 0) * mean;
    signal += beyondMean ** 2 - deviation ** 2;
    weight += (squares[place] ?? 0) ** 2;
  }
  const variance = Math.max(LEAST_VARIANCE, signal / Math.max(1, weight));
  return squares.map((square, place) =>
    place === last ? 0 : Math.max(1, deviation ** 2 / (square * variance)),
  );
}

/** If the sums show no signal, weights are nearly 0. */
const LEAST_VARIANCE = 1e-12;
