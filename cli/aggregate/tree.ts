import { bucket, summaryRow, type SummaryRow } from '../../analysis/aggregate/summary';
import { ConsistentTree, type TreeEstimate } from '../../analysis/estimate/result/consistent-tree';
import type { JsonObject } from '../../src/model/json';
import type { Parser } from '../../formats/codec/codec';
import { parse } from '../../formats/codec/issues';
import { accept, InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { eachRow } from '../io/rows';

/** A bucket that is the sum of the buckets that name it as their parent. */
interface TreeBucket {
  readonly bucket: bigint;
  readonly parent: bigint | null;
  /** A conversion's contribution: buckets of different levels can have different parts of the contribution budget. */
  readonly unit: number;
  /** The value of each column of slices. */
  readonly slices: readonly string[];
}

export interface BucketTree {
  /** Parents first. */
  readonly buckets: readonly TreeBucket[];
  readonly columns: readonly string[];
}

/**
 * Reads `--buckets` with the columns `parent` and `unit`, and those of slices.
 * @param key reads a bucket
 * @throws InputError
 */
export async function readTree(
  file: string,
  columns: readonly string[],
  key: Parser<bigint> = bucket,
): Promise<BucketTree> {
  const found = new Map<bigint, TreeBucket>();
  for await (const { place, cells } of eachRow(new InputFiles([file]), {
    wanted: ['bucket', 'parent', 'unit', ...columns],
  })) {
    const own = accept(`${place}: bucket`, parse(cells('bucket'), key));
    if (found.has(own)) throw new InputError(`${place}: bucket: must be there once`);
    const parent = cells('parent');
    const unit = Number(cells('unit'));
    if (!(unit > 0 && unit < Infinity))
      throw new InputError(`${place}: unit: must be a number greater than 0, was "${cells('unit')}"`);
    found.set(own, {
      bucket: own,
      parent: parent === '' ? null : accept(`${place}: parent`, parse(parent, key)),
      unit,
      slices: columns.map(cells),
    });
  }
  return { buckets: parentsFirst(file, found), columns };
}

/** @throws InputError for a parent that is missing, or a descendant of its child. */
export function parentsFirst(file: string, found: ReadonlyMap<bigint, TreeBucket>): readonly TreeBucket[] {
  const ordered = new Set<TreeBucket>();
  for (const start of found.values()) {
    const above = new Set<TreeBucket>();
    let node = start;
    while (!ordered.has(node)) {
      if (above.has(node)) throw badParent(file, node, 'must not be below it');
      above.add(node);
      if (node.parent === null) break;
      const next = found.get(node.parent);
      if (next === undefined) throw badParent(file, node, 'must be a bucket of the file');
      node = next;
    }
    for (const next of [...above].reverse()) ordered.add(next);
  }
  return [...ordered];
}

const badParent = (file: string, { bucket: key, parent }: TreeBucket, problem: string): InputError =>
  new InputError(`${file}: bucket ${hex(key)}: parent ${hex(parent ?? 0n)}: ${problem}`);

const hex = (key: bigint): string => `0x${key.toString(16)}`;

/**
 * The rows of a summary report with consistent estimates, in conversions; then a row for each value of each column of slices, the sum of its leaves.
 * @param level of the intervals.
 */
export function treeRows(
  rows: readonly SummaryRow[],
  { buckets, columns }: BucketTree,
  level: number,
): readonly JsonObject[] {
  const places = new Map(buckets.map((node, place) => [node.bucket, place]));
  const values = new Map(rows.map((row) => [row.bucket, row]));
  const tree = new ConsistentTree(
    buckets.map(({ bucket: key, parent, unit }) => {
      const { value = 0, standardError = Infinity } = values.get(key) ?? {};
      return {
        parent: parent === null ? null : (places.get(parent) ?? null),
        estimate: value / unit,
        variance: (standardError / unit) ** 2,
      };
    }),
  );
  const slices = columns.flatMap((column, index) => slicesOf(buckets, column, index));
  return [
    ...rows.map((row) => {
      const place = places.get(row.bucket);
      const estimate = place === undefined ? NO_ESTIMATE : cellsOf(tree.sumOf([place], level));
      return { ...summaryRow.write(row), ...estimate, ...(columns.length === 0 ? {} : { slice: null }) };
    }),
    ...slices.map(({ slice, leaves }) => ({ ...NO_BUCKET, ...cellsOf(tree.sumOf(leaves, level)), slice })),
  ];
}

/** The leaves with each value. */
function slicesOf(
  buckets: readonly TreeBucket[],
  column: string,
  index: number,
): readonly { readonly slice: string; readonly leaves: readonly number[] }[] {
  const parents = new Set(buckets.map(({ parent }) => parent));
  const found = new Map<string, number[]>();
  buckets.forEach(({ bucket: key, slices }, place) => {
    if (parents.has(key)) return;
    const slice = `${column}=${slices[index] ?? ''}`;
    const leaves = found.get(slice);
    if (leaves === undefined) found.set(slice, [place]);
    else leaves.push(place);
  });
  return [...found].map(([slice, leaves]) => ({ slice, leaves }));
}

const cellsOf = ({ estimate, variance, halfWidth }: TreeEstimate): JsonObject => ({
  consistent: estimate,
  consistent_error: Math.sqrt(variance),
  consistent_low: estimate - halfWidth,
  consistent_high: estimate + halfWidth,
});

/** The columns of a bucket that was discovered. */
const NO_ESTIMATE: JsonObject = {
  consistent: null,
  consistent_error: null,
  consistent_low: null,
  consistent_high: null,
};

/** The columns of a slice. */
const NO_BUCKET: JsonObject = {
  bucket: null,
  value: null,
  standard_error: null,
  low: null,
  high: null,
  discovered: null,
};
