import { factorise, isPositiveDefinite, solveFactored } from '../../numeric/vectors';
import { remembered } from '../../src/model/remembered';
import type { Examples } from './examples';
import { fieldOffsets } from './field-offsets';
import type { Model } from './model';
import type { PrivacyAccountant } from './privacy-accountant';
import { noiseDeviation, type PrivateBudget } from './private-train';
import type { RandomNumbers } from './random-numbers';

/** All sums that linear regression with squared loss needs: XᵀX and Xᵀy, in the order of a logistic model's parameters. */
interface FeatureSums {
  /** Lines of the lower triangle. */
  readonly products: readonly Float64Array[];
  readonly labels: Float64Array;
  /** Whether each product depends on what is protected: by line and column. */
  readonly isProtected: (line: number, column: number) => boolean;
  /** How far apart the protected sums are at most if an example has other sensitive features and another label. */
  readonly distance: number;
  /** Each number counts in units of this: then no feature moves a sum by more than another. */
  readonly scales: readonly number[];
  /** In which the equations are solved: the largest known category first, because its lines are 0 but for the diagonal. */
  readonly order: readonly number[];
}

/** Sensitive numbers beyond are clipped (e⁴ is about 55), because noise hides only what has a bound. */
const MOST_NUMBER = 4;
/** With so many, a training takes 40 s of processor time if all features are sensitive, and its matrices 200 MB. */
const MOST_PARAMETERS = 4096;
/** Noisy sums are rounded to multiples of the noise's standard deviation times this. */
const GRID = 2 ** -16;

/**
 * Linear regression from sums, where known features are public and the others are not (after Krichene, Mayoraz, Rendle, Song, Thakurta & Zhang 2023, "Private
 * learning with public features"). XᵀX and Xᵀy determine the model. Products of two known features need no noise. All sums with a sensitive feature or the
 * label get Gaussian noise, once, however long the model is fitted.
 * @param most the greatest label; those above count as this.
 * @param unit what the model's outputs are in units of.
 * @throws RangeError if there are too many values of features, no examples, or a number that is not finite.
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
  readonly place: number;
  readonly value: number;
}

/** @throws RangeError as above. */
export function featureSums(examples: Examples, most: number, accountant: PrivacyAccountant): FeatureSums {
  const { fields } = examples;
  const { offsets, total } = fieldOffsets(fields);
  const size = total + fields.numbers.length + 1;
  if (size > MOST_PARAMETERS)
    throw new RangeError(
      `feature-sums: features have ${size - 1} values together; at most ${MOST_PARAMETERS - 1} are possible`,
    );
  const scales = scalesOf(examples);
  const products = Array.from({ length: size }, (_, line) => new Float64Array(line + 1));
  const labels = new Float64Array(size);
  const fieldOfPlace = fieldsByPlace(examples, size);
  let longest = 0;
  for (let row = 0; row < examples.count; row++) {
    const entries = entriesOf(examples, row, offsets, scales);
    const label = Math.min(accountant.readLabel(examples, row, 'labels'), most) / most;
    for (const { place, value } of entries) {
      labels[place] = (labels[place] ?? 0) + value * label;
      const line = products[place] ?? labels;
      for (const other of entries)
        if (other.place <= place) line[other.place] = (line[other.place] ?? 0) + value * other.value;
    }
    const known = entries.filter(({ place }) => fieldOfPlace[place]?.role !== 'sensitive');
    longest = Math.max(
      longest,
      known.reduce((sum, { value }) => sum + value ** 2, 0),
    );
  }
  const isProtected = (line: number, column: number): boolean => {
    const [one, other] = [fieldOfPlace[line], fieldOfPlace[column]];
    // An example has one value of a category, so two values of one have nothing in common.
    const isImpossible = one === other && line !== column;
    return !isImpossible && (one?.role === 'sensitive' || other?.role === 'sensitive');
  };
  return {
    products,
    labels,
    isProtected,
    distance: Math.sqrt(squaredDistance(fields, longest)),
    scales,
    order: eliminationOrder(fields, offsets, size),
  };
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
export function multiplicationsOf({ categories, numbers }: Examples['fields']): number {
  const total = categories.reduce((sum, { buckets }) => sum + buckets, numbers.length + 1);
  const first = categories[largestKnown(categories)]?.buckets ?? 0;
  const others = total - first;
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
): readonly Entry[] {
  const [wide, deep] = [offsets.length, fields.numbers.length];
  const total = (offsets[wide - 1] ?? 0) + (fields.categories[wide - 1]?.buckets ?? 0);
  const entries: Entry[] = [];
  for (let field = 0; field < wide; field++) {
    const bucket = categories[row * wide + field] ?? -1;
    if (bucket >= 0) entries.push({ place: (offsets[field] ?? 0) + bucket, value: 1 });
  }
  for (let field = 0; field < deep; field++) {
    const number = (numbers[row * deep + field] ?? 0) / (scales[field] ?? 1);
    entries.push({ place: total + field, value: Math.max(-1, Math.min(1, number)) });
  }
  return [...entries, { place: total + deep, value: 1 }];
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
  products.forEach((line, place) => {
    for (let column = 0; column <= place; column++)
      if (isProtected(place, column)) line[column] = noisy(line[column] ?? 0);
  });
  for (let place = 0; place < labels.length; place++) labels[place] = noisy(labels[place] ?? 0);
}

/**
 * The weights with the least error and penalty. Noise may leave XᵀX without a least error, so the penalty on sensitive features grows until there is
 * one, and then twice: this uses noisy sums alone. The constant has no penalty.
 * @throws RangeError if there is no such penalty.
 */
function solved({ products, labels, isProtected, order }: FeatureSums, deviation: number): Float64Array {
  if ((products.at(-1)?.at(-1) ?? 0) === 0) throw new RangeError('feature-sums: there are no examples');
  // A number that is not finite is in the sum with the label, or makes all noise so.
  if (!labels.every(Number.isFinite))
    throw new RangeError('feature-sums: a feature or a label is not finite');
  const penalties = penaltiesOf(products, labels, deviation);
  const ordered = linesInOrder(products, order);
  for (let ofSensitive = 1; Number.isFinite(ofSensitive); ofSensitive *= 2) {
    const penalised = (factor: number): Float64Array[] =>
      order.map((place, index) => {
        const line = Float64Array.from(ordered[index] ?? []);
        const last = line.length - 1;
        const penalty = (penalties[place] ?? 0) * (isProtected(place, place) ? factor * ofSensitive : 1);
        line[last] = (line[last] ?? 0) + penalty;
        return line;
      });
    if (!isPositiveDefinite(penalised(1))) continue;
    const factor = penalised(2);
    factorise(factor);
    const solution = Float64Array.from(order, (place) => labels[place] ?? 0);
    solveFactored(factor, solution);
    const weights = new Float64Array(order.length);
    order.forEach((place, index) => (weights[place] = solution[index] ?? 0));
    return weights;
  }
  throw new RangeError('feature-sums: the equations have no solution');
}

/** The lines of the lower triangle in another order, without their leading zeros. */
const linesInOrder = (products: FeatureSums['products'], order: readonly number[]): readonly Float64Array[] =>
  order.map((place, index) => {
    const line = Float64Array.from({ length: index + 1 }, (_, column) => {
      const other = order[column] ?? 0;
      return products[Math.max(place, other)]?.[Math.min(place, other)] ?? 0;
    });
    const first = line.findIndex((sum) => sum !== 0);
    return line.subarray(first < 0 ? index : first);
  });

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
