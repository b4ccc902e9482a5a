import type { DataFeature, DataMap } from './data-map';
import { isCategory } from './data-row';
import { splitExamples, type ExampleFields, type Examples, type Split } from './examples';

/** What the columns of a log's examples are. */
export const fieldsOf = ({ label, features }: DataMap): ExampleFields => ({
  label: label.kind,
  categories: features
    .filter(isCategory)
    .map(({ column, role, buckets }) => ({ name: column, role, buckets })),
  numbers: features
    .filter((feature) => !isCategory(feature))
    .map(({ column, role }) => ({ name: column, role })),
});

/** @throws RangeError for a part with no labels to learn from or to measure by. */
export function refuseOneSided(split: Split): void {
  for (const part of ['training', 'validation', 'test'] as const) {
    const { labels, fields } = split[part];
    const positives = labels.reduce((count, label) => count + (label > 0 ? 1 : 0), 0);
    if (positives === 0 || (positives === labels.length && fields.label === 'conversion'))
      throw new RangeError(
        `the ${part} part must have labels of both kinds, ${positives} of ${labels.length} are above 0`,
      );
  }
}

/** Splits as the map says, and prepares features by what the training part alone says: changes the examples. */
export function preparedSplit(examples: Examples, { features, split }: DataMap): Split {
  const parts = splitExamples(examples, split);
  const { training } = parts;
  const all = [training, parts.validation, parts.test];
  const apply = (
    wide: number,
    index: number,
    change: (value: number) => number,
    column: 'categories' | 'numbers',
  ): void => {
    for (const { count, [column]: values } of all)
      for (let row = 0, place = index; row < count; row++, place += wide)
        values[place] = change(values[place] ?? 0);
  };
  const categories = features.filter(isCategory);
  categories.forEach(({ kind, buckets }, index) => {
    if (kind !== 'vocabulary') return;
    const numbers = vocabulary(training, categories.length, index, buckets);
    apply(categories.length, index, (value) => numbers.get(value) ?? 0, 'categories');
  });
  const numbers = features.filter((feature) => !isCategory(feature));
  numbers.forEach((feature, index) => {
    apply(numbers.length, index, scaling(feature, training, numbers.length, index), 'numbers');
  });
  return parts;
}

/** The buckets of the most frequent values, from 1; 0 is for all others. */
function vocabulary(
  { categories, count }: Examples,
  wide: number,
  index: number,
  buckets: number,
): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (let row = 0, place = index; row < count; row++, place += wide) {
    const value = categories[place] ?? 0;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const frequent = [...counts].sort(([a, m], [b, n]) => n - m || a - b).slice(0, buckets - 1);
  return new Map(frequent.map(([value], rank) => [value, rank + 1]));
}

/** Missing numbers become 0: the mean, where that is known. */
function scaling(
  { kind }: DataFeature,
  { numbers, count }: Examples,
  deep: number,
  index: number,
): (value: number) => number {
  if (kind === 'log') return (value) => (Number.isNaN(value) ? 0 : value);
  let [known, mean, squares] = [0, 0, 0];
  for (let row = 0, place = index; row < count; row++, place += deep) {
    const value = numbers[place] ?? NaN;
    if (Number.isNaN(value)) continue;
    // Welford's update, which loses no digits to a large mean.
    const before = value - mean;
    mean += before / ++known;
    squares += before * (value - mean);
  }
  const deviation = Math.sqrt(squares / known);
  return (value) => (Number.isNaN(value) || !(deviation > 0) ? 0 : (value - mean) / deviation);
}
