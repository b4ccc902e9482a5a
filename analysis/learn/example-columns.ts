import type { ExampleFields, Examples } from './examples';

/** A column of examples, and how many of its values belong to one. */
interface ExampleColumn {
  readonly values: Float32Array | Float64Array | Int32Array;
  readonly width: number;
}

/** The columns in the order in which files have them. */
export function columnsOf({ fields, units, ...examples }: Examples): readonly ExampleColumn[] {
  const single = [
    examples.times,
    examples.delays,
    examples.labels,
    units.user,
    units.publisher,
    units.advertiser,
  ];
  return [
    ...single.map((values) => ({ values, width: 1 })),
    { values: examples.categories, width: fields.categories.length },
    { values: examples.numbers, width: fields.numbers.length },
  ];
}

/** Examples of zeros, in memory that threads can share. */
export function roomFor(fields: ExampleFields, count: number): Examples {
  const ints = (width: number): Int32Array => new Int32Array(new SharedArrayBuffer(4 * width * count));
  const floats = (width: number): Float32Array => new Float32Array(new SharedArrayBuffer(4 * width * count));
  const doubles = (): Float64Array => new Float64Array(new SharedArrayBuffer(8 * count));
  return {
    count,
    fields,
    categories: ints(fields.categories.length),
    numbers: floats(fields.numbers.length),
    labels: floats(1),
    times: doubles(),
    delays: doubles(),
    units: { user: ints(1), publisher: ints(1), advertiser: ints(1) },
  };
}
