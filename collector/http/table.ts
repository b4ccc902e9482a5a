import type { Scalar } from '../store/database';

export type ColumnType = 'string' | 'number' | 'integer' | 'boolean' | 'time';

export interface Column<Row> {
  readonly name: string;
  readonly type: ColumnType;
  readonly value: (row: Row) => Scalar | Date;
}

/** The rows of a download, as objects for NDJSON and as cells for CSV and Parquet. */
export interface Download<Row> {
  /** The file name without its extension. */
  readonly name: string;
  readonly rows: AsyncIterable<Row>;
  readonly columns: readonly Column<Row>[];
  readonly line: (row: Row) => object;
}

export type DownloadFormat = 'ndjson' | 'csv' | 'parquet';

/** Rows in lists of at most `size`. */
export async function* inChunks<Row>(rows: AsyncIterable<Row>, size: number): AsyncGenerator<readonly Row[]> {
  let chunk: Row[] = [];
  for await (const row of rows) {
    chunk.push(row);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
