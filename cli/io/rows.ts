import { isJsonObject, type Json } from '../../src/model/json';
import { withFormula } from '../../formats/csv/formulas';
import { documentOf, linesOf, type Row } from '../../node/lines';
import { valuesOf } from '../../node/json-list';
import { csvRows, jsonOf, placesOf } from '../../node/rows';
import { BEGINNING, type ByteSource } from './byte-source';
import { columnsOfPath, type FileRow } from './file-row';
import { InputError, namesText } from './input';
import type { InputFiles } from './input-files';
import { JsonRow, rowProblem } from './json-rows';
import { say } from './terminal';
import { delimiterOf, formOf, OBJECT_BEGINS, type TextForm } from './text-form';
import { begun } from './unpacked';

export interface ReadOptions {
  /** Columns that must exist, and are read; by default all columns. */
  readonly wanted?: readonly string[];
  /** Whether the file is CSV whatever its name. A delimiter or names of columns imply it. */
  readonly csv?: boolean;
  /** Whether standard input, which has no name, is CSV. */
  readonly csvFromStandardInput?: boolean;
  readonly delimiter?: string | null;
  /** The names of the columns of CSV without a header. */
  readonly columns?: readonly string[] | null;
  /** Whether an empty line of CSV is a row. */
  readonly emptyLines?: boolean;
  /** Called for a row of CSV whose number of cells differs from the columns. By default the error is thrown. */
  readonly refuse?: (problem: InputError) => void;
}

/**
 * The rows of files, in the chunks in which they arrive. What a file is its content shows: Parquet, Avro, JSON as lines or one list, or a table
 * with commas, tabs or semicolons, whatever it is packed in. A folder `NAME=VALUE` in the path makes a column, as in Hive.
 * @throws InputError
 */
export async function* readRows(
  { files }: InputFiles,
  options: ReadOptions = {},
): AsyncGenerator<readonly FileRow[], void, undefined> {
  for (const file of files) yield* readFile(file, options);
}

/** One at a time, for callers to whom speed does not matter. */
export async function* eachRow(input: InputFiles, options: ReadOptions = {}): AsyncGenerator<FileRow> {
  for await (const rows of readRows(input, options)) yield* rows;
}

/** A table in plain text whose rows can be read from any line. */
export interface PlainTable {
  readonly file: string;
  readonly size: number;
  /** The first byte after a byte order mark and the names of the columns. */
  readonly start: number;
  readonly delimiter: string;
  readonly columns: readonly string[];
}

/** Null: it is not one, or must be read from its beginning to say what is wrong with it. A quote can still stand further down. */
export function plainTable(source: ByteSource, options: ReadOptions): PlainTable | null {
  const { file, size, content, beginning } = source;
  if (content !== 'text' || size === null || columnsOfPath(file).size > 0) return null;
  const form = formAsked(beginning, file, options);
  const mark = beginning.startsWith('\ufeff') ? '\ufeff' : '';
  const [first, ...others] = beginning.slice(mark.length).split('\n', 2);
  const isPlain = others.length > 0 && !CONTROLS.test(beginning) && !/["\r\ufffd]/.test(first ?? '');
  if (form.kind !== 'table' || first === undefined || !isPlain) return null;
  const { wanted, columns: given = null } = options;
  const columns = given ?? first.split(form.delimiter).map(withFormula);
  const isNamed = (column: string): boolean => columns.filter((name) => name === column).length === 1;
  if (!(wanted ?? columns).every(isNamed)) return null;
  const start = Buffer.byteLength(given === null ? `${mark}${first}\n` : mark);
  return { file, size, start, delimiter: form.delimiter, columns };
}

/** Warns of no row: no error, since a part of a log can be empty, but usually an earlier step went wrong. */
export function sayNoRows({ names }: InputFiles, expected: string): void {
  say(`${names.join(', ')}: has no rows; expected ${expected}`);
}

async function* readFile(
  source: ByteSource,
  options: ReadOptions,
): AsyncGenerator<readonly FileRow[], void, undefined> {
  const ofPath = columnsOfPath(source.file);
  const wanted = options.wanted?.filter((name) => !ofPath.has(name));
  const inFile = wanted === undefined ? options : { ...options, wanted };
  try {
    for await (const rows of rowsInFile(source, inFile))
      yield ofPath.size === 0 ? rows : rows.map((row) => withColumns(row, ofPath));
  } catch (error) {
    throw rowProblem(source.file, error);
  }
}

function withColumns(row: FileRow, columns: ReadonlyMap<string, string>): FileRow {
  if (!isJsonObject(row.value)) return row;
  const value = { ...row.value, ...Object.fromEntries(columns) };
  return {
    file: row.file,
    place: row.place,
    cells: (column) => columns.get(column) ?? row.cells(column),
    value,
    text: () => JSON.stringify(value),
  };
}

async function* rowsInFile(
  source: ByteSource,
  options: ReadOptions,
): AsyncGenerator<readonly FileRow[], void, undefined> {
  if (source.content === 'parquet') {
    const { parquetRows } = await import('./parquet/rows');
    yield* parquetRows(source, options.wanted ?? null);
    return;
  }
  if (source.content === 'avro') {
    const { avroRows } = await import('./avro');
    yield* avroRows(source);
    return;
  }
  const [beginning, bytes] = await begun(source.open(), BEGINNING);
  const text = new TextDecoder().decode(beginning);
  const [controls] = CONTROLS.exec(text) ?? [];
  if (controls !== undefined) {
    const what = controls.includes('\0')
      ? 'looks like UTF-16 text; save it as UTF-8'
      : 'has control characters in its first line; expected text in UTF-8, Parquet or Avro';
    throw new InputError(`${source.file}: ${what}`);
  }
  const form = formAsked(text, source.file, options);
  if (form.kind === 'table') yield* rowsOfCsv(source, bytes, form.delimiter, options);
  else yield* rowsOfJson(source, textsIn[form.kind](bytes), options);
}

/** In a first line, and in the two bytes of its end: half of a character in UTF-16 of any script, as of its tabs and commas. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROLS = /^[^\n]*\n?[\u0000-\u0008]/;

const textsIn = { lines: linesOf, list: valuesOf, document: documentOf };

/** What the caller knows comes before what the text shows. */
function formAsked(text: string, file: string, options: ReadOptions): TextForm {
  const { csv = false, csvFromStandardInput = false, delimiter = null, columns = null } = options;
  const found = formOf(text, file);
  const isJson = columns === null && OBJECT_BEGINS.test(text.replace(/^\ufeff/, '').trimStart());
  if (delimiter !== null && !isJson) return { kind: 'table', delimiter: delimiterOf(text, delimiter).found };
  const isAsked = csv || columns !== null || (csvFromStandardInput && file === '-');
  return isAsked && found.kind !== 'table'
    ? { kind: 'table', delimiter: delimiterOf(text, ',').found }
    : found;
}

async function* rowsOfJson(
  source: ByteSource,
  texts: AsyncIterable<readonly Row<string>[]>,
  { wanted = [] }: ReadOptions,
): AsyncGenerator<readonly FileRow[], void, undefined> {
  const missing = new Set(wanted);
  let first: Json = null;
  for await (const lines of texts)
    yield lines.map((line) => {
      const value = jsonOf(line);
      first ??= value;
      if (wanted.length > 0 && !isJsonObject(value))
        throw new InputError(`${source.file}: line ${line.line}: must be an object`);
      for (const column of missing)
        if (isJsonObject(value) && Object.hasOwn(value, column)) missing.delete(column);
      return new JsonRow(source.file, line, value);
    });
  const [column] = missing;
  if (column !== undefined)
    throw new InputError(
      `${source.file}: must have the field "${column}", which no row has; the first has ${namesText(isJsonObject(first) ? Object.keys(first) : [])}`,
    );
}

class CsvRow implements FileRow {
  constructor(
    readonly file: string,
    private readonly row: Row<readonly string[]>,
    private readonly places: ReadonlyMap<string, number>,
  ) {}

  get place(): string {
    return `${this.file}: line ${this.row.line}`;
  }

  get value(): Json {
    const named = [...this.places].map(([name, place]) => [name, this.at(place)] as const);
    return Object.fromEntries(named.filter(([, cell]) => cell !== ''));
  }

  readonly cells = (column: string): string => this.at(this.places.get(column) ?? -1);

  readonly text = (): string => JSON.stringify(this.value);

  private at(place: number): string {
    return withFormula(this.row.value[place] ?? '');
  }
}

async function* rowsOfCsv(
  { file }: ByteSource,
  bytes: AsyncIterable<Uint8Array>,
  delimiter: string,
  { wanted, columns = null, emptyLines = false, refuse = thrown }: ReadOptions,
): AsyncGenerator<readonly FileRow[], void, undefined> {
  let header = columns;
  let places = header === null ? null : placesOfWanted(header, wanted ?? header, file);
  for await (const rows of csvRows(bytes, { delimiter, emptyLines })) {
    let found: FileRow[] = [];
    for (const row of rows)
      if (header === null || places === null) {
        header = row.value.map(withFormula);
        places = placesOfWanted(header, wanted ?? header, file);
      } else if (row.value.length === header.length) found.push(new CsvRow(file, row, places));
      else {
        // In order: callers count the rows before it.
        yield found;
        found = [];
        refuse(wrongLength(file, row, header.length));
      }
    yield found;
  }
  if (places === null && wanted !== undefined)
    throw new InputError(`${file}: line 1: must be the names of the columns`);
}

const wrongLength = (file: string, { line, value }: Row<readonly string[]>, columns: number): InputError =>
  new InputError(`${file}: line ${line}: must have ${columns} columns, has ${value.length}`);

const thrown = (problem: InputError): never => {
  throw problem;
};

/** The places of the wanted columns. */
function placesOfWanted(
  header: readonly string[],
  wanted: readonly string[],
  file: string,
): ReadonlyMap<string, number> {
  const places = placesOf(header);
  return new Map(
    wanted.map((column) => {
      const place = places.get(column) ?? null;
      if (place !== null) return [column, place];
      throw new InputError(
        `${file}: line 1: must name one column "${column}"${header === wanted ? '' : ', which is to be read'}; has ${namesText(header)}`,
      );
    }),
  );
}
