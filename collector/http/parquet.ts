import { asking, startWorker } from '../../node/worker';
import type { ParquetColumn, ParquetRequest } from './parquet-worker';
import { inChunks, type Column, type ColumnType, type Download } from './table';

/** Rows in a row group, which is in memory as a whole. Larger groups compress better. */
const ROW_GROUP = 10_000;

const types: Readonly<Record<ColumnType, ParquetColumn['type']>> = {
  string: 'STRING',
  number: 'DOUBLE',
  integer: 'INT64',
  boolean: 'BOOLEAN',
  time: 'TIMESTAMP',
};

/** The download as a Parquet file, one row group at a time. A worker thread encodes and compresses it. */
export async function* parquet<Row>({ rows, columns }: Download<Row>): AsyncGenerator<Uint8Array> {
  const worker = startWorker('parquet-worker');
  const askWorker = asking(worker);
  const ask = (request: ParquetRequest): Promise<Uint8Array> => askWorker(request);
  try {
    const schema = columns.map(({ name, type }): ParquetColumn => ({ name, type: types[type] }));
    yield await ask({ kind: 'begin', columns: schema });
    for await (const chunk of inChunks(rows, ROW_GROUP))
      yield await ask({ kind: 'rows', data: columns.map((column) => chunk.map((row) => cell(column, row))) });
    yield await ask({ kind: 'end' });
  } finally {
    await worker.terminate();
  }
}

function cell<Row>(column: Column<Row>, row: Row): unknown {
  const value = column.value(row);
  if (value === null) return null;
  if (column.type === 'integer') return BigInt(value as number);
  return column.type === 'string' ? String(value) : value;
}
