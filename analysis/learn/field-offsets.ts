import type { ExampleFields } from './examples';

/** Where the buckets of each categorical feature begin in a table of all buckets, and their number. */
export function fieldOffsets({ categories }: ExampleFields): {
  readonly offsets: Int32Array;
  readonly total: number;
} {
  const offsets = new Int32Array(categories.length);
  let total = 0;
  categories.forEach(({ buckets }, field) => {
    offsets[field] = total;
    total += buckets;
  });
  return { offsets, total };
}
