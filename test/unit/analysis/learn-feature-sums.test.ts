import { parseExperiment } from '../../../analysis/learn/experiment';
import { featureSums, noisyFeatureSums, trainOnFeatureSums } from '../../../analysis/learn/feature-sums';
import type { ExampleFields, Examples } from '../../../analysis/learn/examples';
import { newModel } from '../../../analysis/learn/new-model';
import type { Model } from '../../../analysis/learn/model';
import { PrivacyAccountant } from '../../../analysis/learn/privacy-accountant';
import { runCell } from '../../../analysis/learn/run-cell';
import { cellsOf } from '../../../analysis/learn/cells';
import { privacyLossEpsilon } from '../../../analysis/learn/privacy-loss-distribution';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import { seededRandomSource } from '../../../analysis/random/sources';

const MOST = 10;
const random = (stream: number): RandomNumbers =>
  new RandomNumbers(seededRandomSource('feature sums', stream));
const accountant = (epsilon = 1e9): PrivacyAccountant => new PrivacyAccountant(epsilon, 1);

const category = (name: string, role: 'known' | 'sensitive', buckets: number) => ({ name, role, buckets });
const number = (name: string, role: 'known' | 'sensitive') => ({ name, role });

type Example = readonly [categories: readonly number[], numbers: readonly number[], label: number];

function examplesOf(fields: Omit<ExampleFields, 'label'>, rows: readonly Example[]): Examples {
  const count = rows.length;
  return {
    count,
    fields: { label: 'value', ...fields },
    categories: Int32Array.from(rows.flatMap(([categories]) => categories)),
    numbers: Float32Array.from(rows.flatMap(([, numbers]) => numbers)),
    labels: Float32Array.from(rows, ([, , label]) => label),
    times: new Float64Array(count),
    delays: new Float64Array(count),
    units: {
      user: new Int32Array(count),
      publisher: new Int32Array(count),
      advertiser: new Int32Array(count),
    },
  };
}

/** All lists with one element of each. */
const combinations = <T>(lists: readonly (readonly T[])[]): readonly (readonly T[])[] =>
  lists.reduce<readonly (readonly T[])[]>(
    (found, list) => found.flatMap((before) => list.map((one) => [...before, one])),
    [[]],
  );

/** Lines of products leave out zeros at their beginning. */
const columnOf = (line: Float64Array, j: number, i: number): number => j + 1 - line.length + i;

const allSums = (
  examples: Examples,
): { readonly places: readonly boolean[]; readonly sums: readonly number[] } => {
  const { products, labels, isProtected } = featureSums(examples, MOST, accountant());
  const places = products.flatMap((line, j) => [...line].map((_, i) => isProtected(j, columnOf(line, j, i))));
  return {
    places: [...places, ...[...labels].map(() => true)],
    sums: [...products.flatMap((line) => [...line]), ...labels],
  };
};

/** With the greatest squared move of all pairs of examples, and the bound on it. */
describe.each<[string, Omit<ExampleFields, 'label'>, readonly [greatest: number, stated: number]]>([
  [
    'categories',
    {
      categories: [category('k', 'known', 2), category('s', 'sensitive', 2), category('t', 'sensitive', 3)],
      numbers: [],
    },
    [18, 20],
  ],
  [
    'a number',
    { categories: [category('k', 'known', 2)], numbers: [number('n', 'known'), number('s', 'sensitive')] },
    [16, 20],
  ],
  [
    'both',
    {
      categories: [category('s', 'sensitive', 2)],
      numbers: [number('s', 'sensitive'), number('t', 'sensitive')],
    },
    [26, 37],
  ],
  [
    'both, known and sensitive',
    {
      categories: [category('k', 'known', 2), category('s', 'sensitive', 2)],
      numbers: [number('n', 'known'), number('t', 'sensitive')],
    },
    [28, 34],
  ],
])('of %s', (_, fields, squared) => {
  const { categories, numbers } = fields;
  // Sensitive numbers beyond 4 are clipped, and labels beyond the greatest.
  const one = combinations<number>([
    ...categories.map(({ buckets }) => Array.from({ length: buckets + 1 }, (__, bucket) => bucket - 1)),
    ...numbers.map(() => [-9, 1, 4]),
    [0, 3, 25],
  ]).map((values): Example => [
    values.slice(0, categories.length),
    values.slice(categories.length, -1),
    values.at(-1) ?? 0,
  ]);
  const sums = one.map((example) => ({ example, ...allSums(examplesOf(fields, [example])) }));
  const known = ([values, amounts]: Example): string =>
    JSON.stringify([
      values.filter((__, i) => categories[i]?.role === 'known'),
      amounts.filter((__, i) => numbers[i]?.role === 'known'),
    ]);

  test('another example with the same known features moves protected sums alone, by the stated distance at most', () => {
    const distances = new Map(
      one.map((example) => [
        known(example),
        featureSums(examplesOf(fields, [example]), MOST, accountant()).distance,
      ]),
    );
    let [greatest, stated] = [0, 0];
    for (const first of sums)
      for (const second of sums) {
        if (known(first.example) !== known(second.example)) continue;
        const moves = first.sums.map((sum, i) => sum - (second.sums[i] ?? NaN));
        expect(moves.some((move, i) => move !== 0 && first.places[i] === false)).toBe(false);
        const distance = distances.get(known(first.example)) ?? NaN;
        const squares = moves.reduce((sum, move) => sum + move ** 2, 0);
        expect(squares).toBeLessThanOrEqual(distance ** 2 * (1 + 1e-12));
        greatest = Math.max(greatest, squares);
        stated = Math.max(stated, distance ** 2);
      }
    expect([greatest, stated].map((squares) => squares.toFixed(6))).toEqual(
      squared.map((squares) => squares.toFixed(6)),
    );
  });
});

const FIELDS = {
  categories: [category('k', 'known', 5), category('l', 'known', 7), category('s', 'sensitive', 3)],
  numbers: [number('n', 'known'), number('t', 'sensitive')],
};

/** Labels that the features tell, but for some noise. */
function madeUp(count: number): Examples {
  const draw = random(1);
  return examplesOf(
    FIELDS,
    Array.from({ length: count }, (): Example => {
      const [k, l, s] = [draw.below(5), draw.below(7), draw.below(3)];
      const [n, t] = [draw.normal(), draw.normal()];
      return [
        [k, l, s],
        [n, t],
        Math.min(MOST, Math.max(0, 3 + 0.3 * k - 0.1 * l + s + 0.4 * n - 0.5 * t + 0.1 * draw.normal())),
      ];
    }),
  );
}

const fresh = (): Model =>
  newModel('logistic', { label: 'value', ...FIELDS }, random(0), { embedding: 1, layers: [1] });

function trained(examples: Examples, epsilon: number, examplesPerUnit = 1, stream = 2): Model {
  const model = fresh();
  const budget = { epsilon, delta: 1e-6, examplesPerUnit };
  trainOnFeatureSums(model, examples, { most: MOST, unit: 2 }, budget, random(stream), accountant(epsilon));
  return model;
}

/** Each weight's part of an example, the constant last. */
const vectorOf = (examples: Examples, row: number): readonly number[] => {
  const sizes = [5, 7, 3];
  const wide = sizes.flatMap((size, field) =>
    Array.from({ length: size }, (_, bucket) => Number(examples.categories[row * 3 + field] === bucket)),
  );
  return [...wide, ...examples.numbers.subarray(row * 2, row * 2 + 2), 1];
};

/** Least squares with a penalty on all weights but the last, by Gaussian elimination. */
function ridge(examples: Examples, penalties: readonly number[]): readonly number[] {
  const size = penalties.length;
  const system = penalties.map((penalty, j) =>
    Array.from({ length: size + 1 }, (_, i) => (i === j ? penalty : 0)),
  );
  for (let row = 0; row < examples.count; row++) {
    const vector = vectorOf(examples, row);
    system.forEach((line, j) => {
      vector.forEach((value, i) => (line[i] = (line[i] ?? 0) + value * (vector[j] ?? 0)));
      line[size] = (line[size] ?? 0) + (vector[j] ?? 0) * (examples.labels[row] ?? 0);
    });
  }
  system.forEach((line, j) => {
    system.forEach((other, k) => {
      if (k === j) return;
      const factor = (other[j] ?? 0) / (line[j] ?? 0);
      line.forEach((value, i) => (other[i] = (other[i] ?? 0) - factor * value));
    });
  });
  return system.map((line, j) => (line[size] ?? 0) / (line[j] ?? 0));
}

test('without noise, it is the linear regression', () => {
  const examples = madeUp(3000);
  // Noise for hardly an example.
  const model = trained(examples, 1, 1e-9);
  const known = Array.from({ length: 12 }, () => 1);
  // Known numbers count in units of the greatest, and sensitive ones of 4.
  const greatest = Math.max(...examples.numbers.filter((_, i) => i % 2 === 0).map(Math.abs));
  const expected = ridge(examples, [...known, 2, 2, 2, greatest ** 2, 2 * 16, 0]);
  // Outputs are in units of 2.
  expected.forEach((weight, i) => expect(2 * (model.parameters[i] ?? NaN)).toBeCloseTo(weight, 5));
});

/** The squared error of a training on examples with one number from 0 to 12, and that of always predicting the mean. */
function errorsOf(role: 'known' | 'sensitive', labelOf: (number: number) => number): readonly number[] {
  const draw = random(5);
  const part = (count: number): Examples => {
    const numbers = Array.from({ length: count }, () => 12 * draw.uniform());
    const rows = numbers.map((n): Example => [[], [n], labelOf(n)]);
    return examplesOf({ categories: [], numbers: [number('n', role)] }, rows);
  };
  const { value } = parseExperiment({
    ...{ seed: 'numbers', seeds: 1 },
    figures: [{ title: 'Sums', label: 'value', methods: ['feature-sums'], epsilons: [8] }],
  });
  if (value === null) throw new Error('the experiment is not valid');
  const cell = cellsOf(value).find(({ recipe }) => recipe.method === 'feature-sums');
  if (cell === undefined) throw new Error('there is no such training');
  const split = { training: part(5000), validation: part(100), test: part(1000) };
  const labels = [...split.test.labels];
  const mean = labels.reduce((sum, label) => sum + label, 0) / labels.length;
  const variance = labels.reduce((sum, label) => sum + (label - mean) ** 2, 0) / labels.length;
  return [runCell(cell, split, value).error, variance];
}

test('known numbers have no bound, and sensitive ones above it count as the bound where the model predicts, too', () => {
  const [known = NaN, ofMean = NaN] = errorsOf('known', (n) => 10 * n);
  expect(known).toBeLessThan(ofMean / 100);
  const [clipped = NaN, ofClipped = NaN] = errorsOf('sensitive', (n) => 10 * Math.min(4, n));
  expect(clipped).toBeLessThan(ofClipped / 100);
  // What the bound hides cannot be learnt, but it makes no model worse than the mean.
  const [sensitive = NaN, ofSensitive = NaN] = errorsOf('sensitive', (n) => 10 * n);
  expect(sensitive).toBeLessThan(ofSensitive);
});

test('the order of features does not matter', () => {
  const examples = madeUp(300);
  const turned: Examples = {
    ...examples,
    fields: { ...examples.fields, categories: examples.fields.categories.toReversed() },
    categories: examples.categories.map((_, i) => examples.categories[i - (i % 3) + 2 - (i % 3)] ?? 0),
  };
  const [model, other] = [examples, turned].map((of) => {
    const one = newModel('logistic', of.fields, random(0), { embedding: 1, layers: [1] });
    const budget = { epsilon: 1, delta: 1e-6, examplesPerUnit: 1e-9 };
    trainOnFeatureSums(one, of, { most: MOST, unit: 1 }, budget, random(2), accountant(1));
    return [...one.parameters];
  });
  const reversed = [model?.slice(12, 15), model?.slice(5, 12), model?.slice(0, 5), model?.slice(15)];
  other?.forEach((weight, i) => expect(weight).toBeCloseTo(reversed.flat()[i] ?? NaN, 4));
});

test('no examples, and numbers that are not finite, are refused', () => {
  expect(() => trained(examplesOf(FIELDS, []), 1)).toThrow('feature-sums: there are no examples');
  for (const numbers of [
    [NaN, 1],
    [1, NaN],
    [Infinity, 1],
  ])
    expect(() => trained(examplesOf(FIELDS, [[[0, 0, 0], numbers, 1]]), 1)).toThrow(
      'feature-sums: a feature or a label is not finite',
    );
});

test('products of known features are exact, and all other sums have noise of the stated deviation', () => {
  const examples = madeUp(200);
  const budget = { epsilon: 2, delta: 1e-5, examplesPerUnit: 3 };
  const of = accountant(2);
  const { sums, deviation } = noisyFeatureSums(examples, MOST, budget, random(3), of);
  const exact = featureSums(examples, MOST, accountant());
  expect(of.entries).toEqual([{ what: 'feature-sums', epsilon: 2, delta: 1e-5 }]);
  // That of a Gaussian mechanism with three examples of a unit: two sums are 2 apart where its noise is 1.
  const noise = (2 * deviation) / (3 * exact.distance);
  const spent = privacyLossEpsilon(1, noise, 1, 1e-5);
  expect(spent).toBeLessThanOrEqual(2);
  expect(spent).toBeGreaterThan(1.98);
  let [squares, freedom, kept] = [0, 0, 0];
  const compare = (noisy: number, sum: number, isNoisy: boolean): void => {
    if (isNoisy) {
      squares += ((noisy - sum) / deviation) ** 2;
      freedom += 1;
    } else {
      expect(noisy).toBe(sum);
      kept += 1;
    }
  };
  sums.products.forEach((line, j) => {
    line.forEach((noisy, i) => {
      compare(noisy, exact.products[j]?.[i] ?? NaN, exact.isProtected(j, columnOf(line, j, i)));
    });
  });
  sums.labels.forEach((noisy, i) => compare(noisy, exact.labels[i] ?? NaN, true));
  // 14 known weights with each other, without pairs of different values of the largest; and those of the sensitive category, which nobody has.
  expect(kept).toBe((14 * 15) / 2 - (7 * 6) / 2 + 3);
  expect(freedom).toBe((18 * 19) / 2 + 18 - (7 * 6) / 2 - kept);
  // Chi-squared: beyond 7 standard deviations with a probability below 1e-6.
  expect(Math.abs(squares - freedom)).toBeLessThan(7 * Math.sqrt(2 * freedom));
});

test('noise can leave no least error, and the model is finite all the same', () => {
  const examples = madeUp(30);
  for (let stream = 10; stream < 16; stream++)
    expect(trained(examples, 0.1, 1, stream).parameters.every(Number.isFinite)).toBe(true);
});

test('if all features are protected, there are more noisy sums, and each has more noise', () => {
  const examples = madeUp(200);
  const secret = <T extends { readonly role: string }>(field: T): T => ({ ...field, role: 'sensitive' });
  const { categories, numbers } = examples.fields;
  const all = {
    ...examples,
    fields: { ...examples.fields, categories: categories.map(secret), numbers: numbers.map(secret) },
  };
  const budget = { epsilon: 2, delta: 1e-5, examplesPerUnit: 1 };
  const [some, most] = [examples, all].map((of) => {
    const { sums, deviation } = noisyFeatureSums(of, MOST, budget, random(4), accountant(2));
    const noisy = sums.products.flatMap((line, j) =>
      [...line].filter((_, i) => sums.isProtected(j, columnOf(line, j, i))),
    );
    return { deviation, noisy: noisy.length };
  });
  expect(some?.deviation).toBeLessThan(0.8 * (most?.deviation ?? NaN));
  expect(some?.noisy).toBeLessThan(0.5 * (most?.noisy ?? NaN));
});

test.each<[string, object, string]>([
  ['a network', { model: 'network' }, 'figures[0].model'],
  ['another loss', { loss: 'poisson' }, 'figures[0].loss'],
  ['conversions', { label: 'conversion' }, 'figures[0].methods[0]'],
  ['numbers without values', { label: 'number', loss: 'squared' }, 'figures[0]'],
])('an experiment with %s is refused', (_, given, path) => {
  const figure = { title: 'Sums', label: 'value', methods: ['feature-sums'], epsilons: [1] };
  const errors = (more: object): readonly unknown[] =>
    parseExperiment({ figures: [{ ...figure, ...more }] }).errors;
  expect(errors({})).toEqual([]);
  expect(errors(given)).toEqual([expect.objectContaining({ path })]);
});

describe('many values of a known feature', () => {
  const KNOWN = 8000;
  const SENSITIVE = 95;

  test('cost little: without noise, the slope of the error and the penalty is 0', () => {
    const draw = random(6);
    const fields = {
      categories: [category('s', 'sensitive', SENSITIVE), category('k', 'known', KNOWN)],
      numbers: [],
    };
    const rows = Array.from({ length: 2000 }, (): Example => {
      const [s, k] = [draw.below(SENSITIVE), draw.below(KNOWN)];
      return [[s, k], [], (s % 5) + (k % 3)];
    });
    const examples = examplesOf(fields, rows);
    const model = newModel('logistic', { label: 'value', ...fields }, random(0), {
      embedding: 1,
      layers: [1],
    });
    const budget = { epsilon: 1, delta: 1e-6, examplesPerUnit: 1e-9 };
    trainOnFeatureSums(model, examples, { most: MOST, unit: 1 }, budget, random(2), accountant(1));
    const weights = model.parameters;
    const last = SENSITIVE + KNOWN;
    // Half the slope of the penalty, which is twice as strong for what is sensitive.
    const slopes = Float64Array.from(weights, (weight, place) =>
      place === last ? 0 : weight * (place < SENSITIVE ? 2 : 1),
    );
    for (const [[s = 0, k = 0], , label] of rows) {
      const places = [s, SENSITIVE + k, last];
      const off = places.reduce((sum, place) => sum + (weights[place] ?? NaN), -label);
      for (const place of places) slopes[place] = (slopes[place] ?? NaN) + off;
    }
    expect(Math.max(...weights.map(Math.abs))).toBeGreaterThan(1);
    // Weights have single precision, and there are 2,000 examples.
    expect(Math.max(...slopes.map(Math.abs))).toBeLessThan(1e-2);
  });

  test('are refused where the largest known feature has too many values, however few the sums', () => {
    const sumsOf = (known: number) => () => {
      const fields = { categories: [category('k', 'known', known)], numbers: [] };
      return featureSums(examplesOf(fields, []), MOST, accountant());
    };
    expect(sumsOf(2 ** 18)).not.toThrow();
    expect(sumsOf(2 ** 18 + 1)).toThrow(
      'feature-sums: the largest known feature has 262145 values; at most 262144 are possible',
    );
  });

  test.each([
    [4095, 0, null],
    [4096, 0, '0 values of the largest known feature and 4096 of all others need 8392705 sums'],
    [95, 86_432, null],
    [95, 86_433, '86433 values of the largest known feature and 95 of all others need 8388609 sums'],
  ])('are refused by the sums that they need: %d sensitive, %d known', (sensitive, known, error) => {
    const fields = {
      categories: [
        category('s', 'sensitive', sensitive),
        ...(known === 0 ? [] : [category('k', 'known', known)]),
      ],
      numbers: [],
    };
    const sums = (): unknown => featureSums(examplesOf(fields, []), MOST, accountant());
    if (error === null) expect(sums).not.toThrow();
    else expect(sums).toThrow(`feature-sums: ${error}; at most 8388608 are possible`);
  });
});
