import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { linesOf, type Row } from '../node/lines';
import { jsonOf, namedCsvRows, RowError } from '../node/rows';
import type { Json } from '../src/model/json';
import { compressionOf, decompressor } from './compression';
import { InputError } from './input';

/**
 * The rows of a file, one at a time, decompressed if its name ends in `.gz` or `.zst`. Before that, `.csv` means CSV with a header row: every
 * value is a string, and empty ones are left out. Other files are NDJSON, one JSON value per line.
 * @param file a path, or `-` for standard input.
 */
export async function* rowsOf(file: string): AsyncGenerator<Row<Json>> {
  const compression = file === '-' ? 'none' : compressionOf(file);
  const raw = file === '-' ? process.stdin : createReadStream(file);
  // The reader gets the error; the empty callback keeps it from being thrown as well.
  const stream = pipeline(raw, decompressor(compression), () => undefined);
  try {
    if (/\.csv(\.gz|\.zst)?$/.test(file)) yield* namedCsvRows(stream);
    else
      for await (const lines of linesOf(stream))
        for (const row of lines) yield { ...row, value: jsonOf(row) };
  } catch (error) {
    throw rowProblem(file, error);
  }
}

/** What went wrong while a file was read row by row. */
export function rowProblem(file: string, error: unknown): unknown {
  if (error instanceof RowError) return new InputError(`${file}: line ${error.line}: ${error.message}`);
  return isReadError(error) ? new InputError(`${file}: cannot be read: ${error.message}`) : error;
}

/** Errors of the file system, of decompression and of text decoders have a code, and can come from another realm. */
const isReadError = (error: unknown): error is { readonly message: string } =>
  typeof error === 'object' && error !== null && 'message' in error && 'code' in error;
