import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { withoutFormula } from '../../formats/csv/formulas';
import { parquet } from './parquet';
import { inChunks, type Download, type DownloadFormat } from './table';

const CHUNK = 200;

const mediaTypes: Readonly<Record<DownloadFormat, string>> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/** Streams a download row by row, so that memory does not grow with its size. */
export function sendDownload<Row>(
  reply: FastifyReply,
  format: DownloadFormat,
  download: Download<Row>,
): FastifyReply {
  const encoders = { ndjson, csv, parquet };
  return reply
    .type(mediaTypes[format])
    .header('Content-Disposition', `inline; filename="${download.name}.${format}"`)
    .send(Readable.from(encoders[format](download), { objectMode: false }));
}

async function* ndjson<Row>({ rows, line }: Download<Row>): AsyncGenerator<string> {
  for await (const chunk of inChunks(rows, CHUNK))
    yield chunk.map((row) => `${JSON.stringify(line(row))}\n`).join('');
}

async function* csv<Row>({ rows, columns }: Download<Row>): AsyncGenerator<string> {
  const { stringify } = await import('csv-stringify/sync');
  yield stringify([columns.map(({ name }) => withoutFormula(name))]);
  for await (const chunk of inChunks(rows, CHUNK))
    yield stringify(chunk.map((row) => columns.map((column) => cell(column.value(row)))));
}

const cell = (value: string | number | boolean | Date | null): string => {
  if (value === null) return '';
  if (typeof value === 'object') return value.toISOString();
  return typeof value === 'string' ? withoutFormula(value) : String(value);
};
