import { english } from '../../words/english';
import { parse as parseCsv } from 'csv-parse';
import type { Json } from '../../src/model/json';
import { parse, strictly } from '../../src/parsing/issues';
import type { Configuration } from './configuration';
import { loggedSource, type LoggedSource } from './logged-source';

export type SourceFormat = 'ndjson' | 'csv';

export interface LineIssue {
  /** From 1. */
  readonly line: number;
  /** The field, and the place in it. */
  readonly path: string;
  readonly message: string;
}

export interface SourceLog {
  readonly sources: readonly LoggedSource[];
  /** The configurations of all these sources. */
  readonly configurations: readonly Configuration[];
  /** If there are any, no row of the log may be used. */
  readonly issues: readonly LineIssue[];
}

/** A log with a wrong column would have one per row. */
const MAX_ISSUES = 20;
const ROWS_PER_TURN = 200;

/** @param stored finds stored configurations by id. */
export async function readSources(
  text: string,
  format: SourceFormat,
  stored: (ids: readonly string[]) => Promise<readonly Configuration[]>,
): Promise<SourceLog> {
  const rows: Row[] = [];
  const issues: LineIssue[] = [];
  for await (const row of format === 'csv' ? csvRows(text) : jsonRows(text)) {
    if ('message' in row) issues.push(row);
    else rows.push(row);
    if (issues.length === MAX_ISSUES) break;
    if (rows.length % ROWS_PER_TURN === 0) await othersTurn();
  }
  if (issues.length > 0) return { sources: [], configurations: [], issues };
  return parseRows(rows, new Map((await stored(namedIds(rows))).map((found) => [found.id, found])));
}

interface Row {
  readonly line: number;
  readonly value: Json;
}

async function parseRows(rows: readonly Row[], known: Map<string, Configuration>): Promise<SourceLog> {
  const sources: LoggedSource[] = [];
  const issues: LineIssue[] = [];
  const used = new Map<string, Configuration>();
  for (const [index, { line, value }] of rows.entries()) {
    const { value: parsed, errors } = strictly(parse(value, loggedSource(known)));
    issues.push(...errors.map((issue) => ({ line, ...english.worded(issue) })));
    if (issues.length >= MAX_ISSUES) break;
    if (parsed !== null) {
      sources.push(parsed.source);
      known.set(parsed.configuration.id, parsed.configuration);
      used.set(parsed.configuration.id, parsed.configuration);
    }
    if (index % ROWS_PER_TURN === 0) await othersTurn();
  }
  return { sources, configurations: [...used.values()], issues: issues.slice(0, MAX_ISSUES) };
}

function namedIds(rows: readonly Row[]): readonly string[] {
  const ids = rows.flatMap(({ value }) => {
    const id = (value as { readonly configuration?: Json } | null)?.configuration;
    return typeof id === 'string' ? [id] : [];
  });
  return [...new Set(ids)];
}

/** Yields to other work, so that a long log does not delay reports. */
const othersTurn = (): Promise<void> => new Promise(setImmediate);

function* jsonRows(text: string): Generator<Row | LineIssue> {
  for (const [index, content] of text.split('\n').entries()) {
    if (content.trim() === '') continue;
    const line = index + 1;
    try {
      yield { line, value: JSON.parse(content) as Json };
    } catch (error) {
      yield { line, path: '', message: `must be JSON: ${(error as SyntaxError).message}` };
    }
  }
}

async function* csvRows(text: string): AsyncGenerator<Row | LineIssue> {
  const records = parseCsv(text, { bom: true, info: true, columns: columnNames, skip_empty_lines: true });
  try {
    for await (const { record, info } of records as AsyncIterable<CsvRecord>)
      yield {
        line: info.lines,
        value: Object.fromEntries(Object.entries(record).filter(([, text]) => text !== '')),
      };
  } catch (error) {
    const { message, lines = 1 } = error as Error & { readonly lines?: number };
    yield { line: lines, path: '', message };
  }
}

interface CsvRecord {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number };
}

function columnNames(header: readonly string[]): string[] {
  const repeated = header.find((name, index) => header.indexOf(name) < index);
  if (repeated !== undefined)
    throw new Error(`the column ${JSON.stringify(repeated)} must not be there twice`);
  return [...header];
}
