import { cellsOf } from '../../../analysis/learn/cells';
import { clusterRows } from '../../../analysis/learn/clusters';
import { withClusteredLabels } from '../../../analysis/learn/clustered-labels';
import { demoExperiment } from '../../../analysis/learn/demo-experiment';
import { demoLog } from '../../../analysis/learn/demo-log';
import { builtIn } from '../../../analysis/learn/engine';
import { labelledExamples, withLabels, type Examples } from '../../../analysis/learn/examples';
import { parseExperiment } from '../../../analysis/learn/experiment';
import { laplaceLabels, laplaceLogOdds, slopeOfAnswer } from '../../../analysis/learn/laplace-labels';
import { trainBy } from '../../../analysis/learn/methods';
import { metricsOf } from '../../../analysis/learn/metrics';
import { newModel, predict } from '../../../analysis/learn/new-model';
import { trainInStages } from '../../../analysis/learn/prior-stages';
import { PrivacyAccountant } from '../../../analysis/learn/privacy-accountant';
import { RandomNumbers } from '../../../analysis/learn/random-numbers';
import type { Recipe } from '../../../analysis/learn/recipe';
import { askTeachers } from '../../../analysis/learn/teachers';
import { seededRandomSource } from '../../../analysis/random/sources';
import type { RandomSource } from '../../../src/privacy/random-source';
import { uniformBelow } from '../../../src/privacy/uniform';

const source = (stream = 0): RandomSource => seededRandomSource('label mechanisms', stream);
const numbers = (stream = 0): RandomNumbers => new RandomNumbers(source(stream));
const endless = (): PrivacyAccountant => new PrivacyAccountant(1e9, 1);
const log = labelledExamples(demoLog('label mechanisms', 500).examples, 'conversion');
const [baseline] = cellsOf(parseExperiment(demoExperiment).value ?? fail());
function fail(): never {
  throw new Error('the demo must parse');
}
const recipeOf = (given: Partial<Recipe>): Recipe => ({ ...(baseline ?? fail()).recipe, ...given });

/** Examples that are all the same to a model, which then learns the mean of the labels. */
const same: Examples = {
  ...log,
  fields: { ...log.fields, categories: [{ name: 'same', role: 'known', buckets: 1 }] },
  categories: new Int32Array(log.count),
};
const truth = log.labels.reduce((sum, label) => sum + label, 0) / log.count;

/** What a recipe learns of examples that are all the same. */
function learntMean(given: Partial<Recipe>): number {
  const recipe = recipeOf(given);
  const training = { ...recipe.training, rate: 0.3, epochs: 40 };
  const { model } = trainBy({ ...recipe, training }, same, 'seed');
  return 1 / (1 + Math.exp(-(predict(model, same)[0] ?? NaN)));
}

const EPSILON = 1.5;
const DRAWS = 20_000;

test('a Laplace label has the right label as its mean, and the variance of the noise', () => {
  const most = 400;
  const randomize = laplaceLabels(most)(EPSILON);
  const random = source(1);
  for (const label of [0, 123.4, 400, 1000]) {
    const drawn = Array.from({ length: DRAWS }, () => randomize(label, random));
    const mean = drawn.reduce((a, b) => a + b, 0) / DRAWS;
    const spread = (Math.SQRT2 * most) / EPSILON;
    // 5.5 standard errors: a false alarm has a probability below 1e-7.
    expect(Math.abs(mean - Math.min(label, most))).toBeLessThan((5.5 * spread) / Math.sqrt(DRAWS));
    const variance = drawn.reduce((sum, value) => sum + (value - mean) ** 2, 0) / DRAWS;
    // A Laplace number has the kurtosis 6, so its sample variance has the relative variance 5/n. Its skewness of 0.05 makes 5.5 standard errors
    // above four times as likely as for a normal number: below 1e-7, and below 1e-6 for all eight comparisons.
    expect(Math.abs(variance / spread ** 2 - 1)).toBeLessThan(5.5 * Math.sqrt(5 / DRAWS));
  }
});

test('log odds of a Laplace answer are within ε, and are those of Bayes’ rule', () => {
  const randomize = laplaceLogOdds(EPSILON);
  const random = source(2);
  const drawn = [0, 1].map((label) => Array.from({ length: DRAWS }, () => randomize(label, random)));
  // In one expectation: 40,000 take longer than the draws.
  const furthest = drawn.flat().reduce((most, odds) => Math.max(most, Math.abs(odds)), 0);
  expect(furthest).toBeLessThanOrEqual(EPSILON * (1 + 1e-12));
  // Of the answers with log odds near z, the share from conversions must be 1/(1 + e^−z): in each of ten equal parts of the range.
  const PARTS = 10;
  for (let part = 0; part < PARTS; part++) {
    const [from, to] = [part, part + 1].map((at) => EPSILON * (-1 + (2 * at) / PARTS));
    const inside = drawn.map((each) =>
      each.filter((z) => z >= (from ?? 0) && (z < (to ?? 0) || part === PARTS - 1)),
    );
    const [none = 0, conversions = 0] = inside.map(({ length }) => length);
    const expected = inside.flat().reduce((sum, z) => sum + 1 / (1 + Math.exp(-z)), 0) / (none + conversions);
    // At most: a share has this standard error if it is a half. For ten parts a false alarm has a probability below 4e-7.
    const error = 0.5 / Math.sqrt(none + conversions);
    expect(Math.abs(conversions / (none + conversions) - expected)).toBeLessThan(5.5 * error);
  }
});

test('the slope of an answer is that of its marginal likelihood', () => {
  for (const [output, odds] of [
    [0, 1.2],
    [-2.5, 1.2],
    [1.3, -0.7],
    [-4, -1.5],
  ] as const) {
    // P(answer) ∝ P(conversion)·e^odds + P(none), by finite differences.
    const minusLog = (z: number): number => -Math.log((Math.exp(z) * Math.exp(odds) + 1) / (Math.exp(z) + 1));
    const step = 1e-5;
    const expected = (minusLog(output + step) - minusLog(output - step)) / (2 * step);
    expect(slopeOfAnswer('cross-entropy', output, odds)).toBeCloseTo(expected, 8);
  }
});

test.each<Partial<Recipe>>([
  { method: 'laplace', epsilon: 3 },
  { method: 'alibi', epsilon: 3 },
  { method: 'clusters', epsilon: 3 },
  { method: 'rr-with-prior', stages: { count: 4, split: 'examples' }, epsilon: 3 },
])('$method learns the right mean', (given) => {
  // The noisiest, `laplace`, has a deviation of √2/3 for each label: 6 standard errors of the mean, so a false
  // alarm has a probability below 1e-8 for all four.
  expect(Math.abs(learntMean(given) - truth)).toBeLessThan((6 * Math.SQRT2) / 3 / Math.sqrt(log.count));
});

describe('clusters', () => {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;

  /** The most frequent value; of several the one that has all its occurrences first. */
  const mode = (values: readonly number[]): number => {
    const count = (value: number): number => values.filter((other) => other === value).length;
    return [...new Set(values)].reduce((best, value) =>
      count(value) > count(best) ||
      (count(value) === count(best) && values.lastIndexOf(value) < values.lastIndexOf(best))
        ? value
        : best,
    );
  };

  test('are those of k-prototypes, computed a second time in another way', () => {
    const [count, wanted, random] = [60, 7, source(12)];
    const drawn = (of: bigint): number => Number(uniformBelow(random, of));
    const rows = Array.from({ length: count }, () => ({
      buckets: Array.from({ length: 3 }, () => drawn(3n)),
      // Quarters are exact in single precision.
      numbers: Array.from({ length: 2 }, () => drawn(9n) / 4),
    }));
    const examples: Examples = {
      ...log,
      count,
      fields: {
        label: 'conversion',
        categories: ['a', 'b', 'c'].map((name) => ({ name, role: 'known' as const, buckets: 3 })),
        numbers: ['d', 'e'].map((name) => ({ name, role: 'known' as const })),
      },
      categories: Int32Array.from(rows.flatMap(({ buckets }) => buckets)),
      numbers: Float32Array.from(rows.flatMap((row) => row.numbers)),
      labels: new Float32Array(count),
    };
    type Point = (typeof rows)[number];
    const distance = (one: Point, other: Point): number =>
      one.buckets.filter((bucket, field) => bucket !== other.buckets[field]).length +
      one.numbers.reduce((sum, number, field) => sum + (number - (other.numbers[field] ?? NaN)) ** 2, 0);
    const nearestOf = (centres: readonly Point[]): readonly number[] =>
      rows.map((row) => {
        const distances = centres.map((centre) => distance(row, centre));
        return distances.indexOf(Math.min(...distances));
      });
    let centres = [...numbers(13).order(count)].slice(0, wanted).map((row) => rows[row] ?? fail());
    let clusters = nearestOf(centres);
    for (let round = 1; round < 5; round++) {
      centres = centres.map((centre, cluster) => {
        const members = rows.filter((_, row) => clusters[row] === cluster);
        return members.length === 0
          ? centre
          : {
              buckets: centre.buckets.map((_, field) =>
                mode(members.map(({ buckets }) => buckets[field] ?? NaN)),
              ),
              numbers: centre.numbers.map((_, field) =>
                Math.fround(mean(members.map((member) => member.numbers[field] ?? NaN))),
              ),
            };
      });
      clusters = nearestOf(centres);
    }
    expect([...clusterRows(examples, wanted, numbers(13))]).toEqual(clusters);
    expect(new Set(clusters).size).toBe(wanted);
  });

  test('do not mix groups of equal rows', () => {
    // Two groups that agree in no feature, and a third that differs from the second in a number only.
    const centres = [
      [0, 0, 0],
      [1, 1, 0],
      [1, 1, 9],
    ];
    const count = 300;
    const of = (row: number): readonly number[] => centres[row % 3] ?? [];
    const examples: Examples = {
      ...log,
      count,
      fields: {
        label: 'conversion',
        categories: ['a', 'b'].map((name) => ({ name, role: 'known' as const, buckets: 2 })),
        numbers: [{ name: 'c', role: 'known' }],
      },
      categories: Int32Array.from({ length: 2 * count }, (_, i) => of(Math.floor(i / 2))[i % 2] ?? 0),
      numbers: Float32Array.from({ length: count }, (_, row) => of(row)[2] ?? 0),
      labels: new Float32Array(count),
    };
    // First centres miss a group with a probability below 3·(2/3)^45 < 4e-8.
    const clusters = clusterRows(examples, 45, numbers(3));
    const groups = new Map<number, Set<number>>();
    clusters.forEach((cluster, row) => {
      groups.set(cluster, (groups.get(cluster) ?? new Set()).add(row % 3));
    });
    for (const members of groups.values()) expect(members.size).toBe(1);
  });

  test('depend on features alone, and their rates on the noisy counts', () => {
    const clusters = clusterRows(log, 8, numbers(4));
    expect(clusterRows(withLabels(log, new Float32Array(log.count)), 8, numbers(4))).toEqual(clusters);
    // Noise of scale 1/500 is not 0 with a probability of 2·e^−500.
    const few = withClusteredLabels(
      log,
      { epsilon: 500, examplesPerUnit: 1 },
      numbers(5),
      source(5),
      endless(),
    );
    const found = clusterRows(log, Math.ceil(log.count / 200), numbers(5));
    found.forEach((cluster, row) => {
      const inside = [...found.keys()].filter((other) => found[other] === cluster);
      const rate = inside.reduce((sum, other) => sum + (log.labels[other] ?? 0), 0) / inside.length;
      if (row < 20) expect(few.labels[row]).toBeCloseTo(rate, 6);
    });
  });
});

test('stages by budget ask each label once in each stage, with its part of ε', () => {
  const asked: string[] = [];
  class Listening extends PrivacyAccountant {
    override readLabel(...[examples, row, use]: Parameters<PrivacyAccountant['readLabel']>): number {
      asked.push(use);
      return super.readLabel(examples, row, use);
    }
  }
  const budget = { unit: 'impression', allocation: 'per-cap', cap: 1, epsilon: 6, period: 30 } as const;
  const { training } = recipeOf({});
  const trained = (count: number, split: 'examples' | 'budget'): void => {
    asked.length = 0;
    const fresh = (): ReturnType<typeof newModel> => newModel('logistic', log.fields, numbers(6));
    const accountant = new Listening(6, 0);
    trainInStages(
      builtIn,
      fresh,
      log,
      budget,
      { count, split },
      0.5,
      false,
      training,
      numbers(7),
      source(7),
      accountant,
    );
  };
  trained(3, 'budget');
  for (const stage of [0, 1, 2])
    expect(asked.filter((use) => use === `stage ${stage}`)).toHaveLength(log.count);
  trained(3, 'examples');
  expect(asked).toHaveLength(log.count);
  expect(new Set(asked)).toEqual(new Set(['labels']));
});

test('the label phase of the hybrid is the method that it names', () => {
  const parts = (['rr', 'rr-with-prior'] as const).map((method) => {
    const given = { labelShare: 1, epsilon: 2 };
    const hybrid = trainBy(recipeOf({ ...given, method: 'hybrid', labelPhase: method }), log, 'seed');
    const alone = trainBy(recipeOf({ ...given, method, features: 'known' }), log, 'seed');
    expect(hybrid.model.parameters).toEqual(alone.model.parameters);
    return hybrid.model.parameters;
  });
  expect(parts[0]).not.toEqual(parts[1]);
});

describe('teachers', () => {
  const budget = { unit: 'user', allocation: 'per-cap', cap: 3, epsilon: 2, period: 30 } as const;
  const { training } = recipeOf({});
  const ask = (examples: Examples, stream: number, epsilon: number): ReturnType<typeof askTeachers> =>
    askTeachers(
      () => newModel('logistic', log.fields, numbers(8)),
      examples,
      { ...budget, epsilon },
      1e-6,
      training,
      numbers(9),
      source(stream),
      endless(),
    );

  test('one unit moves each sum of votes by at most 1', () => {
    const user = log.units.user[0];
    const flipped = log.labels.map((label, row) => (log.units.user[row] === user ? 1 - label : label));
    // The bound holds for every seed. The same noise for both: it depends on ε and the seed only.
    const [one, other] = [log, withLabels(log, flipped)].map((examples) => ask(examples, 10, 2));
    const moved = [...(one?.examples.labels ?? [])].map((label, index) =>
      Math.abs(label - (other?.examples.labels[index] ?? 0)),
    );
    expect(Math.max(...moved)).toBeGreaterThan(0);
    // Votes are a fiftieth each; labels are in single precision.
    for (const move of moved) expect(move).toBeLessThanOrEqual(1 / 50 + 1e-5);
  });

  test('with a huge ε, the student learns', () => {
    const SEEDS = 8;
    const total = Array.from({ length: SEEDS }, (_, seed) => {
      const { model } = trainBy(recipeOf({ method: 'pate', epsilon: 1e6 }), log, `s${seed}`);
      return metricsOf('cross-entropy', predict(model, log), log.labels, 1).auc ?? NaN;
    }).reduce((sum, auc) => sum + auc, 0);
    // Over 16 seeds the mean is 0.582 with a deviation of 0.014, so 0.55 is 6 standard errors below: a probability below 1e-8.
    expect(total / SEEDS).toBeGreaterThan(0.55);
  });
});
