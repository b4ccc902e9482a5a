import { isJsonObject, type Json } from '../../src/model/json';
import { linesOf, RowError, type Row } from '../../node/lines';
import { jsonOf } from '../../node/rows';
import { cellText, type FileRow } from './file-row';
import { InputError } from './input';

export class JsonRow implements FileRow {
  constructor(
    readonly file: string,
    private readonly row: Row<string>,
    readonly value: Json,
  ) {}

  get place(): string {
    return `${this.file}: line ${this.row.line}`;
  }

  /** Computed on demand: events never need it. */
  get cells(): FileRow['cells'] {
    return (column) =>
      isJsonObject(this.value) && Object.hasOwn(this.value, column) ? cellText(this.value[column]) : '';
  }

  text(): string {
    // Only a value in a list can have line breaks, which JSON has between its tokens alone.
    return this.row.value.replace(/[\r\n]+/g, ' ');
  }
}

/** Rows are parsed when they are needed: so few are in memory at a time that most are gone before the garbage collector runs. */
const PARSED_AT_ONCE = 64;

/**
 * The rows of NDJSON that was read from a file.
 * @param first the number of its first line in the file.
 * @throws InputError
 */
export async function* rowsOfBytes(
  file: string,
  bytes: Iterable<Uint8Array>,
  first: number,
): AsyncGenerator<readonly FileRow[], void, undefined> {
  try {
    for await (const lines of linesOf(bytes, { first }))
      for (let start = 0; start < lines.length; start += PARSED_AT_ONCE)
        yield lines.slice(start, start + PARSED_AT_ONCE).map((line) => new JsonRow(file, line, jsonOf(line)));
  } catch (error) {
    throw rowProblem(file, error);
  }
}

/** Converts an error that occurred while a file was read row by row. */
export function rowProblem(file: string, error: unknown): unknown {
  if (error instanceof RowError) return new InputError(`${file}: line ${error.line}: ${error.message}`);
  return isReadError(error) ? new InputError(`${file}: cannot be read: ${error.message}`) : error;
}

/**
 * Errors of the file system, of decompression and of text decoders have a code, and can come from another realm. So has that of a part of
 * Cointoss that is missing, which says nothing of the file.
 */
const isReadError = (error: unknown): error is { readonly message: string } =>
  typeof error === 'object' &&
  error !== null &&
  'message' in error &&
  'code' in error &&
  error.code !== 'ERR_MODULE_NOT_FOUND';
