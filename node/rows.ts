import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import type { Json } from '../src/model/json';
import { withFormula } from '../formats/csv/formulas';
import { mistake } from '../src/model/mistakes';
import { mayBeTooDeep, readJsonText } from '../formats/codec/json-text';
import { english } from '../words/english';
import { Utf8Decoder } from './encoding';
import { LONGEST_ROW, NOT_UTF_8, RowError, type Row } from './lines';

/** @throws RowError */
export function jsonOf({ line, value: text }: Row<string>): Json {
  try {
    if (!mayBeTooDeep(text)) return JSON.parse(text) as Json;
  } catch {
    // It is read a second time, to find the place of a mistake.
  }
  const { value, problem } = readJsonText(text);
  if (problem === null) return value;
  // The parser counts lines from the beginning of the row.
  const inText =
    problem.code === 'json-syntax' ? { ...problem, values: { ...problem.values, line } } : problem;
  throw new RowError(line, english.mistakeText(mistake('not-json', { problem: inText })));
}

interface CsvOptions {
  readonly delimiter?: string;
  /** Whether an empty line is a row with one empty cell. */
  readonly emptyLines?: boolean;
}

/**
 * The rows of a CSV text, with any number of cells.
 * @throws RowError
 */
export async function* csvRows(
  input: Readable,
  { delimiter = ',', emptyLines = false }: CsvOptions = {},
): AsyncGenerator<Row<readonly string[]>, void, undefined> {
  const parser = parse({
    bom: true,
    info: true,
    delimiter,
    skip_empty_lines: !emptyLines,
    relax_column_count: true,
    max_record_size: LONGEST_ROW,
  });
  const text = Readable.from(validText(input));
  text.once('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of text.pipe(parser) as AsyncIterable<CsvRecord>)
      yield { line: info.lines, value: record };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new RowError(Number(error['lines'] ?? 1), `must be CSV: ${csvProblems[error.code] ?? error.code}`);
  }
}

/** The parser's messages quote the file, which may contain anything. */
const csvProblems: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'a cell goes on after its closing quote',
  INVALID_OPENING_QUOTE: 'a quote is within a cell that does not begin with one',
  CSV_QUOTE_NOT_CLOSED: 'a quoted cell has no end',
  CSV_MAX_RECORD_SIZE: `a row has more than ${LONGEST_ROW} characters`,
};

/** @throws RowError for what is not UTF-8. */
async function* validText(
  input: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new Utf8Decoder();
  let line = 1;
  const refused = (before: number): RowError => new RowError(line + before, NOT_UTF_8);
  for await (const part of input) {
    const text = typeof part === 'string' ? part : decoder.decode(part, refused);
    yield text;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1)) line += 1;
  }
  yield decoder.decode(null, refused);
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/** Rows of CSV as the collector writes it, by the names of their columns, without empty cells. */
export async function* namedCsvRows(
  input: Readable,
): AsyncGenerator<Row<Readonly<Record<string, string>>>, void, undefined> {
  let names: readonly string[] | null = null;
  for await (const { line, value: cells } of csvRows(input)) {
    const value = cells.map(withFormula);
    if (names === null) {
      const [repeated] = [...placesOf(value)].find(([, place]) => place === null) ?? [];
      if (repeated !== undefined)
        throw new RowError(line, `the column ${JSON.stringify(repeated)} must not be there twice`);
      names = value;
      continue;
    }
    if (value.length !== names.length)
      throw new RowError(line, `must have ${names.length} columns, has ${value.length}`);
    const named = names.map((name, index) => [name, value[index] ?? ''] as const);
    yield { line, value: Object.fromEntries(named.filter(([, cell]) => cell !== '')) };
  }
}

/** The place of each column; null for a name that several columns have. */
export function placesOf(header: readonly string[]): ReadonlyMap<string, number | null> {
  const places = new Map<string, number | null>();
  for (const [place, name] of header.entries()) places.set(name, places.has(name) ? null : place);
  return places;
}
