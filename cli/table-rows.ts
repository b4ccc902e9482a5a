import { gunzipSync } from 'node:zlib';
import { decompress } from 'fzstd';
import type { Cells } from '../analysis/simulation/csv-mapping';
import { isJsonObject } from '../src/model/json';
import { csvRows, jsonOf } from '../node/rows';
import { linesOf } from '../node/lines';
import { InputError } from './input';
import { rowProblem } from './rows';
import { placesOf } from './simulate-csv';
import { ByteSource } from './simulate-source';

export interface TableRow {
  /** Where the row is, for messages. */
  readonly place: string;
  readonly cells: Cells;
}

export interface TableFormat {
  /** Null: the format follows from the file's name. */
  readonly delimiter: string | null;
  /** The names of the columns of CSV without a header. */
  readonly columns: readonly string[] | null;
}

/**
 * The rows of a log: Parquet, if its name ends in `.parquet`; CSV, if it ends in `.csv` or `.tsv`, or if the format has a delimiter or columns;
 * otherwise NDJSON. Before the ending there can be `.gz` or `.zst`. Missing values are empty cells. A folder `NAME=VALUE` in the path makes a
 * column, as in Hive.
 * @param wanted the columns that are read.
 * @throws InputError
 */
export async function* tableRows(
  file: string,
  wanted: readonly string[],
  format: TableFormat,
): AsyncGenerator<TableRow, void, undefined> {
  const ofPath = new Map(
    [...file.matchAll(/([^/\\=]+)=([^/\\]*)(?=[/\\])/g)].map(([, name, value]) => [name, value]),
  );
  const inFile = wanted.filter((column) => !ofPath.has(column));
  for await (const { place, cells } of rowsOf(file, inFile, format))
    yield { place, cells: (column) => ofPath.get(column) ?? cells(column) };
}

function rowsOf(
  file: string,
  wanted: readonly string[],
  { delimiter, columns }: TableFormat,
): AsyncGenerator<TableRow, void, undefined> {
  if (file.endsWith('.parquet')) return parquetTable(file, wanted);
  const [, type] = /\.(csv|tsv)(?:\.gz|\.zst)?$/.exec(file) ?? [];
  return delimiter === null && columns === null && type === undefined
    ? jsonTable(file, wanted)
    : csvTable(file, wanted, delimiter ?? (type === 'tsv' ? '\t' : ','), columns);
}

async function* csvTable(
  file: string,
  wanted: readonly string[],
  delimiter: string,
  columns: readonly string[] | null,
): AsyncGenerator<TableRow, void, undefined> {
  let places = columns === null ? null : placesOf(columns, wanted, file);
  try {
    for await (const { line, value } of csvRows(new ByteSource(file).open(), { delimiter })) {
      if (columns !== null && value.length !== columns.length)
        throw new InputError(
          `${file}: line ${line}: must have ${columns.length} columns, has ${value.length}`,
        );
      if (places === null) {
        places = placesOf(value, wanted, file);
        continue;
      }
      const known = places;
      yield { place: `line ${line}`, cells: (column) => value[known.get(column) ?? -1] ?? '' };
    }
  } catch (error) {
    throw rowProblem(file, error);
  }
}

async function* jsonTable(
  file: string,
  wanted: readonly string[],
): AsyncGenerator<TableRow, void, undefined> {
  const missing = new Set(wanted);
  try {
    for await (const lines of linesOf(new ByteSource(file).open()))
      for (const row of lines) {
        const value = jsonOf(row);
        if (!isJsonObject(value)) throw new InputError(`${file}: line ${row.line}: must be an object`);
        for (const column of missing) if (Object.hasOwn(value, column)) missing.delete(column);
        yield { place: `line ${row.line}`, cells: (column) => textOf(value[column]) };
      }
  } catch (error) {
    throw rowProblem(file, error);
  }
  const [column] = missing;
  if (column !== undefined)
    throw new InputError(`${file}: must have the field "${column}", which no row has`);
}

/** Reads one row group at a time. */
async function* parquetTable(
  file: string,
  wanted: readonly string[],
): AsyncGenerator<TableRow, void, undefined> {
  const { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } =
    await import('hyparquet');
  try {
    const input = await asyncBufferFromFile(file);
    const metadata = await parquetMetadataAsync(input);
    const columns = new Set(parquetSchema(metadata).children.map(({ element }) => element.name));
    const missing = wanted.find((column) => !columns.has(column));
    if (missing !== undefined) throw new InputError(`${file}: must have the column "${missing}"`);
    let rowStart = 0;
    for (const { num_rows: rows } of metadata.row_groups) {
      const rowEnd = rowStart + Number(rows);
      const group = await parquetReadObjects({
        file: input,
        metadata,
        columns: [...wanted],
        rowStart,
        rowEnd,
        compressors: { GZIP: (bytes) => gunzipSync(bytes), ZSTD: (bytes) => decompress(bytes) },
      });
      for (const [index, row] of group.entries())
        yield { place: `row ${rowStart + index + 1}`, cells: (column) => textOf(row[column]) };
      rowStart = rowEnd;
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(
      `${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Lists become texts with commas, times milliseconds. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return String(value.getTime());
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
