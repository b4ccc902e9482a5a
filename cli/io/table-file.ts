import { withoutFormula } from '../../formats/csv/formulas';
import { Replacement, writeAll } from '../../node/files';
import type { Json, JsonObject } from '../../src/model/json';
import { compressionOf, compressor } from './compression';
import { jsonBytes } from './json-bytes';
import { writing } from './output';
import { tableFormatOf } from './table-name';

/** Rows that can be read more than once. */
export type Rows = () => AsyncIterable<JsonObject> | Iterable<JsonObject>;

/**
 * Writes rows in the format of the file's name: CSV, TSV, Parquet, or otherwise lines of JSON; compressed if it ends in `.gz` or `.zst`.
 * A column has one type: cells of several types become texts, and lists and objects become JSON. Atomic: a rename replaces the file.
 * @throws InputError if it cannot be written.
 */
export async function writeTable(file: string, rows: Rows): Promise<void> {
  const replacement = writing(file, () => new Replacement(file, 'umask'));
  try {
    await encodeTable(file, replacement.descriptor, rows);
    writing(file, () => replacement.finish());
  } finally {
    replacement.close();
  }
}

/** Writes rows into an open file, in the format of a name. */
export async function encodeTable(name: string, descriptor: number, rows: Rows): Promise<void> {
  const write = (bytes: Uint8Array): void => writing(name, () => writeAll(descriptor, bytes));
  const format = tableFormatOf(name);
  if (format === 'parquet') {
    await writeParquet(write, rows);
    return;
  }
  const compress = await compressor(compressionOf(name));
  if (format === null) for await (const text of jsonText(rows)) write(compress(jsonBytes(text)));
  else for await (const text of csvText(rows, format)) write(compress(Buffer.from(text)));
}

const CHUNK = 5000;

async function* inChunks(rows: Rows): AsyncGenerator<readonly JsonObject[]> {
  let chunk: JsonObject[] = [];
  for await (const row of rows()) {
    chunk.push(row);
    if (chunk.length < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

async function* jsonText(rows: Rows): AsyncGenerator<string> {
  for await (const chunk of inChunks(rows)) yield chunk.map((row) => `${JSON.stringify(row)}\n`).join('');
}

async function* csvText(rows: Rows, format: 'csv' | 'tsv'): AsyncGenerator<string> {
  const names = [...(await columnsOf(rows)).keys()];
  const delimiter = format === 'csv' ? ',' : '\t';
  if (names.length === 0) return;
  const { stringify } = await import('csv-stringify/sync');
  yield stringify([names.map(withoutFormula)], { delimiter });
  for await (const chunk of inChunks(rows))
    yield stringify(
      chunk.map((row) => names.map((name) => csvCell(row[name] ?? null))),
      { delimiter },
    );
}

const csvCell = (value: Json): string => (value === null ? '' : withoutFormula(textOf(value)));

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

type ColumnType = 'STRING' | 'BOOLEAN' | 'DOUBLE';

/** All columns of all rows, in the order of their first occurrence. */
async function columnsOf(rows: Rows): Promise<ReadonlyMap<string, ColumnType>> {
  const columns = new Map<string, ColumnType | null>();
  for await (const row of rows())
    for (const [name, value] of Object.entries(row)) {
      const known = columns.get(name) ?? null;
      const type = typeOf(value);
      if (known === null) columns.set(name, type);
      else if (type !== null && type !== known) columns.set(name, 'STRING');
    }
  return new Map([...columns].map(([name, type]) => [name, type ?? 'STRING']));
}

function typeOf(value: Json): ColumnType | null {
  if (value === null) return null;
  if (typeof value === 'boolean') return 'BOOLEAN';
  return typeof value === 'number' ? 'DOUBLE' : 'STRING';
}

async function writeParquet(write: (bytes: Uint8Array) => void, rows: Rows): Promise<void> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const columns = [...(await columnsOf(rows))];
  const writer = new ByteWriter();
  const flush = (): void => {
    write(writer.getBytes());
    writer.index = 0;
  };
  const schema = schemaFromColumnData({
    columnData: columns.map(([name, type]) => ({ name, type, data: [], nullable: true })),
  });
  const parquet = new ParquetWriter({ writer, schema });
  for await (const chunk of inChunks(rows)) {
    const columnData = columns.map(([name, type]) => ({
      name,
      data: chunk.map((row) => parquetCell(row[name] ?? null, type)),
    }));
    await parquet.write({ columnData, rowGroupSize: chunk.length });
    flush();
  }
  await parquet.finish();
  flush();
}

const parquetCell = (value: Json, type: ColumnType): Json =>
  value !== null && type === 'STRING' ? textOf(value) : value;
