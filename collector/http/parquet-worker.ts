import { parentPort } from 'node:worker_threads';
import type { ByteWriter, ParquetWriter } from 'hyparquet-writer';

export interface ParquetColumn {
  readonly name: string;
  readonly type: 'STRING' | 'DOUBLE' | 'INT64' | 'BOOLEAN' | 'TIMESTAMP';
}

/** The order is `begin`, `rows` for each row group, `end`. Each answer is the bytes to append to the file. */
export type ParquetRequest =
  | { readonly kind: 'begin'; readonly columns: readonly ParquetColumn[] }
  | { readonly kind: 'rows'; readonly data: readonly (readonly unknown[])[] }
  | { readonly kind: 'end' };

interface File {
  readonly columns: readonly ParquetColumn[];
  readonly bytes: ByteWriter;
  readonly writer: ParquetWriter;
}

async function begin(columns: readonly ParquetColumn[]): Promise<File> {
  const { ByteWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer');
  const bytes = new ByteWriter();
  const schema = schemaFromColumnData({
    columnData: columns.map(({ name, type }) => ({ name, type, data: [], nullable: true })),
  });
  return { columns, bytes, writer: new ParquetWriter({ writer: bytes, schema }) };
}

async function carryOut(file: Promise<File>, request: ParquetRequest): Promise<Uint8Array> {
  const { columns, bytes, writer } = await file;
  if (request.kind === 'rows') {
    const columnData = columns.map(({ name }, index) => ({ name, data: [...(request.data[index] ?? [])] }));
    await writer.write({ columnData, rowGroupSize: columnData[0]?.data.length ?? 0 });
  }
  if (request.kind === 'end') await writer.finish();
  // Drops the bytes already sent. `offset`, which the file uses to locate its parts, keeps counting.
  const written = new Uint8Array(bytes.buffer, 0, bytes.index).slice();
  bytes.index = 0;
  return written;
}

let file: Promise<File> | null = null;

parentPort?.on('message', (request: ParquetRequest) => {
  if (request.kind === 'begin') file = begin(request.columns);
  if (file === null) throw new Error('begin comes first');
  void carryOut(file, request).then((bytes) => parentPort?.postMessage(bytes));
});
