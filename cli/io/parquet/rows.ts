import type { Json, JsonObject } from '../../../src/model/json';
import type { ByteSource } from '../byte-source';
import { InputError, namesText } from '../input';
import { cellText, type FileRow } from '../file-row';
import { checkFooter, ColumnChecks } from './checks';
import { codecsOf } from './codecs';

/**
 * The rows of a Parquet file, one row group at a time.
 * @param wanted the columns to read; null: all.
 * @throws InputError
 */
export async function* parquetRows(
  source: ByteSource,
  wanted: readonly string[] | null,
): AsyncGenerator<readonly FileRow[], void, undefined> {
  const { file } = source;
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } =
    await import('hyparquet');
  try {
    const input = await asyncBufferFromFile(file);
    await checkFooter(input);
    // The search for geography columns does not end if an element has a negative number of children.
    const metadata = await parquetMetadataAsync(input, { geoparquet: false });
    const codecs = await codecsOf(metadata);
    const checks = await ColumnChecks.of(input, metadata, codecs);
    const columns = parquetSchema(metadata).children.map(({ element }) => element.name);
    const read = wanted ?? columns;
    checks.checkWidth(metadata, read.length);
    const missing = wanted?.find((column) => !columns.includes(column));
    if (missing !== undefined)
      throw new InputError(`${file}: must have the column "${missing}"; has ${namesText(columns)}`);
    const names = new Set(read);
    let rowStart = 0;
    for (const rowGroup of metadata.row_groups) {
      await checks.check(rowGroup, names);
      const rowEnd = rowStart + Number(rowGroup.num_rows);
      const group = await parquetReadObjects({
        file: input,
        metadata,
        columns: [...read],
        rowStart,
        rowEnd,
        compressors: codecs,
        parsers,
      });
      source.read = ((source.size ?? 0) * rowEnd) / Math.max(Number(metadata.num_rows), 1);
      yield group.map((row, index) => new ParquetRow(file, rowStart + index + 1, row));
      rowStart = rowEnd;
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(
      `${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** @throws RangeError for times further than 8.64e15 ms from 1970, which a Date cannot hold (ECMA-262, 21.4.1.1). */
function dateAt(milliseconds: number | bigint): Date {
  const date = new Date(Number(milliseconds));
  if (Number.isNaN(date.getTime()))
    throw new RangeError(`it has the time ${milliseconds} ms, which is no date`);
  return date;
}

const parsers = {
  timestampFromMilliseconds: dateAt,
  timestampFromMicroseconds: (micros: bigint): Date => dateAt(micros / 1000n),
  timestampFromNanoseconds: (nanos: bigint): Date => dateAt(nanos / 1_000_000n),
  dateFromDays: (days: number): Date => dateAt(days * 86_400_000),
};

class ParquetRow implements FileRow {
  constructor(
    readonly file: string,
    private readonly number: number,
    private readonly row: Readonly<Record<string, unknown>>,
  ) {}

  get place(): string {
    return `${this.file}: row ${this.number}`;
  }

  get value(): JsonObject {
    return jsonObject(this.row);
  }

  readonly cells = (column: string): string => cellText(this.row[column]);

  text(): string {
    return JSON.stringify(this.value);
  }
}

const jsonObject = (row: object): JsonObject =>
  Object.fromEntries(
    Object.entries(row).flatMap(([name, value]: [string, unknown]) => {
      const json = jsonValue(value);
      return json === null ? [] : [[name, json]];
    }),
  );

/** Times become ISO 8601, and integers that a number cannot hold become texts. */
function jsonValue(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(jsonValue);
  return typeof value === 'object' ? jsonObject(value) : null;
}
