import { Readable } from 'node:stream';
import type { Json } from '../src/model/json';
import { withFormula } from '../formats/csv/formulas';
import { mistake } from '../formats/codec/mistakes';
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
  if (problem.code !== 'json-syntax')
    throw new RowError(line, english.mistakeText(mistake('not-json', { problem })));
  // The parser counts lines from the beginning of the row.
  const at = line + problem.values.line - 1;
  const inText = { ...problem, values: { ...problem.values, line: at } };
  throw new RowError(at, english.mistakeText(mistake('not-json', { problem: inText })));
}

interface CsvOptions {
  readonly delimiter?: string;
  /** Whether an empty line is a row with one empty cell. */
  readonly emptyLines?: boolean;
}

/**
 * The rows of a CSV text, with any number of cells, in the chunks in which they arrive.
 * @throws RowError
 */
export async function* csvRows(
  input: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  options: CsvOptions = {},
): AsyncGenerator<readonly Row<readonly string[]>[], void, undefined> {
  const texts = validText(input);
  const plain = new PlainRows(options);
  for await (const text of texts) {
    yield plain.rowsIn(text);
    if (plain.left === null) continue;
    yield* parsedRows(before(plain.left, texts), options, plain);
    return;
  }
  yield plain.last();
  if (plain.left !== null) yield* parsedRows(before(plain.left, texts), options, plain);
}

/** A split takes a tenth of what the parser does. It reads rows until the first that has a quote or another kind of line break. */
class PlainRows {
  /** Ends lines; null: not known yet. As the parser, it takes the first line break for that of the file. */
  lineBreak: '\n' | '\r\n' | null = null;
  /** The number of the next line. */
  line = 1;
  /** Not null: the text from the first row on that the parser must read. */
  left: string | null = null;
  private isBegun = false;
  /** A line that is incomplete. */
  private begun = '';
  private readonly delimiter: string;
  private readonly emptyLines: boolean;

  constructor({ delimiter = ',', emptyLines = false }: CsvOptions) {
    this.delimiter = delimiter;
    this.emptyLines = emptyLines;
  }

  rowsIn(text: string): readonly Row<readonly string[]>[] {
    const lines = (this.isBegun ? text : withoutMark(text)).split('\n');
    this.isBegun ||= text !== '';
    lines[0] = this.begun + (lines[0] ?? '');
    const rows: Row<readonly string[]>[] = [];
    const end = lines.length - 1;
    for (let index = 0; index < end; index++) {
      const line = lines[index] ?? '';
      const lineBreak = this.lineBreak ?? (line.endsWith('\r') ? '\r\n' : '\n');
      if (!isPlain(line, lineBreak)) return this.leave(lines.slice(index), rows);
      this.lineBreak = lineBreak;
      const cells = lineBreak === '\n' ? line : line.slice(0, -1);
      if (cells !== '' || this.emptyLines) rows.push({ line: this.line, value: cells.split(this.delimiter) });
      this.line += 1;
    }
    this.begun = lines[end] ?? '';
    if (this.begun.length <= LONGEST_ROW) return rows;
    // Before it is complete, which it may never be. The parser takes some seconds to refuse it.
    if (!/["\r]/.test(this.begun))
      throw new RowError(this.line, `must be CSV: ${csvProblems.CSV_MAX_RECORD_SIZE}`);
    return this.leave([this.begun], rows);
  }

  /** The row after the last line break. */
  last(): readonly Row<readonly string[]>[] {
    const { begun, line, delimiter, left } = this;
    if (left !== null || begun === '') return [];
    return isPlain(begun, '\n') ? [{ line, value: begun.split(delimiter) }] : this.leave([begun], []);
  }

  private leave<Rows>(lines: readonly string[], rows: Rows): Rows {
    this.left = lines.join('\n');
    return rows;
  }
}

/** @param line without the line feed at its end */
function isPlain(line: string, lineBreak: '\n' | '\r\n'): boolean {
  if (line.length > LONGEST_ROW || line.includes('"')) return false;
  const place = line.indexOf('\r');
  return lineBreak === '\n' ? place < 0 : place >= 0 && place === line.length - 1;
}

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);

async function* before(
  first: string,
  others: AsyncIterable<string>,
): AsyncGenerator<string, void, undefined> {
  yield first;
  yield* others;
}

async function* parsedRows(
  texts: AsyncIterable<string>,
  { delimiter = ',', emptyLines = false }: CsvOptions,
  { line, lineBreak }: PlainRows,
): AsyncGenerator<readonly Row<readonly string[]>[], void, undefined> {
  // Most files need no parser.
  const { CsvError, parse } = await import('csv-parse');
  const parser = parse({
    info: true,
    delimiter,
    skip_empty_lines: !emptyLines,
    relax_column_count: true,
    max_record_size: LONGEST_ROW,
    // Tab-separated values have no quotes (text/tab-separated-values), but most writers quote what needs it.
    relax_quotes: delimiter === '\t',
    ...(lineBreak === null ? {} : { record_delimiter: lineBreak }),
  });
  const text = Readable.from(texts);
  text.once('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of text.pipe(parser) as AsyncIterable<CsvRecord>)
      yield [{ line: line - 1 + info.lines, value: record }];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new RowError(
      line - 1 + Number(error['lines'] ?? 1),
      `must be CSV: ${(csvProblems as Readonly<Record<string, string>>)[error.code] ?? error.code}`,
    );
  }
}

/** The parser's messages quote the file, which may contain anything. */
const csvProblems = {
  CSV_INVALID_CLOSING_QUOTE: 'a cell goes on after its closing quote',
  INVALID_OPENING_QUOTE: 'a quote is within a cell that does not begin with one',
  CSV_QUOTE_NOT_CLOSED: 'a quoted cell has no end',
  CSV_MAX_RECORD_SIZE: `a row has more than ${LONGEST_ROW} characters`,
};

/** @throws RowError for what is not UTF-8. */
async function* validText(
  input: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
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
  for await (const rows of csvRows(input))
    for (const { line, value: cells } of rows) {
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
