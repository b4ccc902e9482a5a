import { writeFile } from 'node:fs/promises';
import type { SchemaElement } from 'hyparquet';

/** Writes a file of about `size` bytes. */
type Grown = (file: string, size: number) => Promise<void>;

const text =
  (make: (size: number) => string): Grown =>
  (file, size) =>
    writeFile(file, make(size));

const repeated = (part: string, size: number): string => part.repeat(Math.ceil(size / part.length));

const names = (size: number): readonly string[] =>
  Array.from({ length: Math.ceil(size / 8) }, (_, index) => `c${String(index).padStart(6, '0')}`);

const table =
  (rowsOf: (size: number) => number, columnsOf: (size: number) => number, rowGroupSize?: number): Grown =>
  async (file, size) => {
    const { parquetWriteFile } = await import('hyparquet-writer');
    const data = Array.from({ length: rowsOf(size) }, (_, index) => `text ${index}`);
    parquetWriteFile({
      filename: file,
      columnData: Array.from({ length: columnsOf(size) }, (_, column) => ({ name: `c${column}`, data })),
      ...(rowGroupSize === undefined ? {} : { rowGroupSize }),
    });
  };

/** Many columns that no row group has, and many row groups of another one. */
const unusedColumns: Grown = async (file, size) => {
  const { ByteWriter, parquetWriteBuffer } = await import('hyparquet-writer');
  const { writeMetadata } = await import('hyparquet-writer/src/metadata.js');
  const { parquetMetadata } = await import('hyparquet');
  const whole = parquetWriteBuffer({ columnData: [{ name: 'c', data: ['text'] }] });
  const metadata = parquetMetadata(whole);
  const [root, ...columns] = metadata.schema;
  const unused = names(size / 10).map((name) => ({ ...columns[0], name }));
  const schema = [{ ...root, num_children: 1 + unused.length } as SchemaElement, ...columns, ...unused];
  const row_groups = unused.flatMap(() => metadata.row_groups);
  const writer = new ByteWriter();
  writer.appendBytes(new Uint8Array(whole.slice(0, -8 - metadata.metadata_length)));
  writeMetadata(writer, { ...metadata, schema, row_groups, num_rows: BigInt(row_groups.length) });
  writer.appendBytes(Buffer.from('PAR1'));
  await writeFile(file, writer.getBytes());
};

/** Files that become large in one way each, by their names. Some are refused, which must not take longer either. */
export const grownFiles: Readonly<Record<string, Grown>> = {
  'rows.csv': text((size) => repeated('user,time\nu1,1\n', size)),
  'one-cell.csv': text((size) => `user,time\n${repeated('x', size)},1\n`),
  'columns.csv': text((size) => `${names(size).join(',')}\n${names(size).join(',')}\n`),
  'quotes.csv': text((size) => `user\n"${repeated('""', size)}"\n`),
  'open-quote.csv': text((size) => `user\n"${repeated('x\n', size)}`),
  'line-ends.csv': text((size) => `user\n${repeated('\r\n', size)}`),
  'formulas.csv': text((size) => `user\n"${repeated(`;'=''"" `, size)}"\n`),
  'lines.ndjson': text((size) => repeated('{"user":"u1","time":1}\n', size)),
  'one-text.ndjson': text((size) => `{"user":"${repeated('x', size)}"}\n`),
  'fields.ndjson': text((size) => `{"${names(size).join('":1,"')}":1}\n`),
  'deep.ndjson': text((size) => `${repeated('[', size / 2)}${repeated(']', size / 2)}\n`),
  'deep-cell.ndjson': text((size) => `{"user":${repeated('[', size / 2)}${repeated(']', size / 2)}}\n`),
  'cut.ndjson': text((size) => repeated('{"a":', size)),
  'line-ends.ndjson': text((size) => repeated('\n', size)),
  'no-json.ndjson': text((size) => `{"a":${repeated('1', size)}x}\n`),
  'rows.parquet': table(
    (size) => size / 14,
    () => 1,
  ),
  'columns.parquet': table(
    () => 1,
    (size) => size / 150,
  ),
  'unused-columns.parquet': unusedColumns,
  'row-groups.parquet': table(
    (size) => size / 200,
    () => 1,
    1,
  ),
};
