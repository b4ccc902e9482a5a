import { createReadStream } from 'node:fs';
import { jsonOf, linesOf, namedCsvRows, RowError, type Row } from '../node/rows';
import type { Json } from '../src/model/json';
import { InputError } from './input';

/**
 * The rows of a file, one at a time. A name in `.csv` means CSV with a header row: every value is a string, and empty ones are left out.
 * Other files are NDJSON, one JSON value per line.
 * @param file a path, or `-` for standard input.
 */
export async function* rowsOf(file: string): AsyncGenerator<Row<Json>> {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  try {
    if (file.endsWith('.csv')) yield* namedCsvRows(stream);
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

/** Tests the shape, because errors of the file system and of text decoders can come from another realm. */
const isReadError = (error: unknown): error is { readonly message: string } =>
  typeof error === 'object' &&
  error !== null &&
  'message' in error &&
  ('syscall' in error || ('code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'));
