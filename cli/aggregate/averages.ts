import { averageOf, type NoisySum } from '../../analysis/aggregate/average';
import type { SummaryNoise } from '../../analysis/aggregate/noise';
import { bucket, summaryRow, type SummaryRow } from '../../analysis/aggregate/summary';
import { parse } from '../../formats/codec/issues';
import type { JsonObject } from '../../src/model/json';
import { accept, InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { eachRow } from '../io/rows';

interface AveragedBucket {
  /** The bucket that counts the conversions whose values this one adds up; null: none. */
  readonly count: bigint | null;
  /** What one conversion, or one unit of value, contributes. */
  readonly unit: number;
}

export type AveragedBuckets = ReadonlyMap<bigint, AveragedBucket>;

/**
 * Reads `--buckets` with the columns `count` and `unit`.
 * @throws InputError
 */
export async function readAverages(file: string): Promise<AveragedBuckets> {
  const found = new Map<bigint, AveragedBucket>();
  for await (const { place, cells } of eachRow(new InputFiles([file]), {
    wanted: ['bucket', 'count', 'unit'],
  })) {
    const unit = Number(cells('unit'));
    if (!(unit > 0 && unit < Infinity))
      throw new InputError(`${place}: unit: must be a number greater than 0, was "${cells('unit')}"`);
    const count = cells('count');
    found.set(accept(`${place}: bucket`, parse(cells('bucket'), bucket)), {
      count: count === '' ? null : accept(`${place}: count`, parse(count, bucket)),
      unit,
    });
  }
  for (const [key, { count }] of found)
    if (count !== null && !found.has(count))
      throw new InputError(
        `${file}: bucket ${bucket.write(key) as string}: count ${bucket.write(count) as string}: must be a bucket of the file`,
      );
  return found;
}

/** The rows of a summary report; those of buckets with a count also have the average. */
export function averageRows(
  rows: readonly SummaryRow[],
  averages: AveragedBuckets,
  noise: SummaryNoise,
  level: number,
): readonly JsonObject[] {
  const values = new Map(rows.map((row) => [row.bucket, row.value]));
  const sumOf = (key: bigint, unit: number): NoisySum => ({
    value: (values.get(key) ?? 0) / unit,
    scale: noise.scale / unit,
  });
  return rows.map((row) => {
    const { count = null, unit = 1 } = averages.get(row.bucket) ?? {};
    const counted = count === null ? undefined : averages.get(count);
    const { average, low, high } =
      count === null || counted === undefined
        ? { average: null, low: null, high: null }
        : averageOf(sumOf(row.bucket, unit), sumOf(count, counted.unit), level);
    return { ...summaryRow.write(row), average, average_low: low, average_high: high };
  });
}
