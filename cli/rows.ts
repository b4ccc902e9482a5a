import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { Json } from '../src/model/json';
import { InputError } from './input';

/** A row of a file, and the line where it begins. */
export interface FileRow {
  readonly line: number;
  readonly value: Json;
}

/**
 * The rows of a file, one at a time. A name in `.csv` means CSV with a header row: every value is a string, and empty ones are left out.
 * Other files are NDJSON, one JSON value per line.
 * @param file a path, or `-` for standard input.
 */
export async function* rowsOf(file: string): AsyncGenerator<FileRow> {
  const stream = file === '-' ? process.stdin : createReadStream(file);
  try {
    yield* file.endsWith('.csv') ? csvRows(stream) : jsonRows(file, stream);
  } catch (error) {
    if (error instanceof CsvError) throw new InputError(`${file}: line ${csvLine(error)}: ${error.message}`);
    if (isSystemError(error)) throw new InputError(`${file}: cannot be read: ${error.message}`);
    throw error;
  }
}

/** Tests the shape, because file system errors can come from another realm. */
const isSystemError = (error: unknown): error is { readonly message: string } =>
  typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;

async function* jsonRows(file: string, stream: Readable): AsyncGenerator<FileRow> {
  let line = 0;
  // A stream error must end the loop; readline alone would leave it unhandled.
  const lines = createInterface({ input: stream, crlfDelay: Infinity });
  const failure = new Promise<never>((_, reject) => stream.once('error', reject));
  failure.catch(() => undefined);
  const iterator = lines[Symbol.asyncIterator]();
  for (;;) {
    const next = await Promise.race([iterator.next(), failure]);
    if (next.done === true) return;
    line += 1;
    const text = line === 1 ? next.value.replace(/^\uFEFF/, '') : next.value;
    if (text.trim() !== '') yield { line, value: jsonOf(file, line, text) };
  }
}

function jsonOf(file: string, line: number, text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new InputError(`${file}: line ${line}: must be JSON: ${(error as SyntaxError).message}`);
  }
}

async function* csvRows(stream: Readable): AsyncGenerator<FileRow> {
  const parser = parse({ columns: true, info: true, bom: true, skip_empty_lines: true });
  stream.once('error', (error) => parser.destroy(error));
  for await (const item of stream.pipe(parser)) {
    const { info, record } = item as { info: { lines: number }; record: Record<string, string> };
    yield {
      line: info.lines,
      value: Object.fromEntries(Object.entries(record).filter(([, value]) => value !== '')),
    };
  }
}

const csvLine = (error: CsvError): string => String((error as { readonly lines?: number }).lines ?? '?');
