import type { Examples } from './examples';
import type { RandomNumbers } from './random-numbers';

const ROUNDS = 5;

/**
 * Puts each example into one of `count` clusters by its features (k-prototypes, Huang 1998): the nearest centre, which has the most frequent
 * bucket of each category and the mean of each number. A different bucket counts 1, a number its squared distance. First centres are rows,
 * drawn at random. Labels have no part in it.
 */
export function clusterRows(examples: Examples, count: number, random: RandomNumbers): Int32Array {
  const { categories, numbers } = examples.fields;
  const [wide, deep] = [categories.length, numbers.length];
  const first = random.order(examples.count).subarray(0, count);
  let centres = { categories: new Int32Array(count * wide), numbers: new Float32Array(count * deep) };
  first.forEach((row, cluster) => {
    centres.categories.set(examples.categories.subarray(row * wide, (row + 1) * wide), cluster * wide);
    centres.numbers.set(examples.numbers.subarray(row * deep, (row + 1) * deep), cluster * deep);
  });
  let nearest = nearestCentres(examples, centres, first.length);
  for (let round = 1; round < ROUNDS; round++) {
    centres = centresOf(examples, nearest, centres, first.length);
    nearest = nearestCentres(examples, centres, first.length);
  }
  return nearest;
}

interface Centres {
  readonly categories: Int32Array<ArrayBuffer>;
  readonly numbers: Float32Array<ArrayBuffer>;
}

/** The nearest centre of each example; the first one if several are equally near. */
function nearestCentres(examples: Examples, centres: Centres, count: number): Int32Array {
  const { categories, numbers } = examples.fields;
  const [wide, deep] = [categories.length, numbers.length];
  return Int32Array.from({ length: examples.count }, (_, row) => {
    let [nearest, least] = [0, Infinity];
    for (let cluster = 0; cluster < count; cluster++) {
      let distance = 0;
      for (let field = 0; field < wide; field++)
        if (examples.categories[row * wide + field] !== centres.categories[cluster * wide + field])
          distance += 1;
      for (let field = 0; field < deep; field++)
        distance +=
          ((examples.numbers[row * deep + field] ?? 0) - (centres.numbers[cluster * deep + field] ?? 0)) ** 2;
      if (distance < least) [nearest, least] = [cluster, distance];
    }
    return nearest;
  });
}

/** The centres of clusters; an empty one keeps the centre that it had. */
function centresOf(examples: Examples, clusters: Int32Array, before: Centres, count: number): Centres {
  const { categories, numbers } = examples.fields;
  const [wide, deep] = [categories.length, numbers.length];
  const rows = new Int32Array(count);
  for (const cluster of clusters) rows[cluster] = (rows[cluster] ?? 0) + 1;
  const after = { categories: before.categories.slice(), numbers: before.numbers.slice() };
  for (let field = 0; field < wide; field++) {
    const often = new Map<string, number>();
    const most = new Int32Array(count);
    clusters.forEach((cluster, row) => {
      const bucket = examples.categories[row * wide + field] ?? -1;
      const times = (often.get(`${cluster} ${bucket}`) ?? 0) + 1;
      often.set(`${cluster} ${bucket}`, times);
      if (times <= (most[cluster] ?? 0)) return;
      most[cluster] = times;
      after.categories[cluster * wide + field] = bucket;
    });
  }
  for (let field = 0; field < deep; field++) {
    const sums = new Float64Array(count);
    clusters.forEach((cluster, row) => {
      sums[cluster] = (sums[cluster] ?? 0) + (examples.numbers[row * deep + field] ?? 0);
    });
    sums.forEach((sum, cluster) => {
      if ((rows[cluster] ?? 0) > 0) after.numbers[cluster * deep + field] = sum / (rows[cluster] ?? 1);
    });
  }
  return after;
}
