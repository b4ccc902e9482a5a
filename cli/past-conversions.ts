import { english } from '../words/english';
import { createReadStream } from 'node:fs';
import { LAST_SECOND, PastConversions } from '../analysis/optimize/past-conversions';
import { integerParameter, ParameterError } from '../src/privacy/parameters';
import { Rational } from '../src/privacy/rational';
import { MAX_UINT32 } from '../src/parsing/fields';
import { csvRows, placeOf, RowError } from '../node/rows';
import { InputError } from './input';

export interface PastColumns {
  /** The column with the sum of a source's conversions. */
  readonly value: string;
  /** The column with the seconds from source to conversion. */
  readonly delay: string | null;
}

/** The columns' places in a row. */
interface Cells {
  readonly value: number;
  readonly delay: number | null;
}

/**
 * Reads past sources from a CSV file of any size, one per row; the first row names the columns.
 * @param file a path, or `-` for standard input.
 * @throws InputError with the line.
 */
export async function readPastConversions(file: string, columns: PastColumns): Promise<PastConversions> {
  const past = new PastConversions();
  const input = file === '-' ? process.stdin : createReadStream(file);
  try {
    let cells: Cells | null = null;
    // In a file with one column, an empty line is a source without a conversion, so no line is skipped.
    for await (const { line, value } of csvRows(input, { emptyLines: true })) {
      if (cells === null) cells = findColumns(value, columns);
      else addRow(past, value, cells, (name) => `line ${line}: column "${columns[name] ?? ''}"`);
    }
    if (cells === null) throw new InputError('line 1 must be the names of the columns, was "missing"');
  } catch (error) {
    throw new InputError(`${file}: ${reason(error)}`);
  } finally {
    input.destroy();
  }
  if (![...past.values.keys()].some((value) => value > 0))
    throw new InputError(
      `${file}: column "${columns.value}" must have a value above 0, less than ${LAST_SECOND} s after its source, has none`,
    );
  return past;
}

function findColumns(header: readonly string[], { value, delay }: PastColumns): Cells {
  const find = (name: string): number => {
    const place = placeOf(header, name);
    if (place !== null) return place;
    throw new InputError(`line 1 must be a list of columns with one "${name}", was "${header.join(',')}"`);
  };
  return { value: find(value), delay: delay === null ? null : find(delay) };
}

function addRow(
  past: PastConversions,
  record: readonly string[],
  cells: Cells,
  place: (column: keyof PastColumns) => string,
): void {
  const text = record[cells.value]?.trim() ?? '';
  const value = text === '' ? 0 : Number(integerParameter(place('value'), text, 0n, BigInt(MAX_UINT32)));
  past.add(value, cells.delay === null || value === 0 ? null : delayOf(record[cells.delay] ?? '', place));
}

function delayOf(text: string, place: (column: 'delay') => string): number {
  const seconds = Rational.parse(text);
  if (seconds === null || seconds.sign < 0n)
    throw new InputError(`${place('delay')} must be a number of seconds of at least 0, was "${text}"`);
  return seconds.toNumber();
}

function reason(error: unknown): string {
  if (error instanceof ParameterError) return english.issueSentence(error.issue);
  if (error instanceof InputError) return error.message;
  if (error instanceof RowError) return `line ${error.line}: ${error.message}`;
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}
