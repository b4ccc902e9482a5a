import { Readable } from 'node:stream';
import { english } from '../../words/english';
import { linesOf, RowError, type Row } from '../../node/lines';
import { jsonOf, namedCsvRows } from '../../node/rows';
import { isJsonObject, type Json } from '../../src/model/json';
import type { Parser } from '../../formats/codec/codec';
import { parse, strictly } from '../../formats/codec/issues';
import { isoText } from '../../formats/codec/time';
import type { IdentifiedConfiguration } from '../sources/definition';
import { loggedSource, type LoggedSource, type ParsedSource } from '../sources/logged-source';
import { isRecent } from '../sources/recent';

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
  readonly configurations: readonly IdentifiedConfiguration[];
  /** If there are any, no row of the log may be used. */
  readonly issues: readonly LineIssue[];
}

export const firstIssueText = ([first]: readonly LineIssue[]): string =>
  `line ${first?.line ?? 1}: ${first?.path || 'the row'} ${first?.message ?? ''}`;

/** A log with one wrong column would have an issue for each row. */
const MAX_ISSUES = 20;
const ROWS_PER_TURN = 200;

/**
 * @param now null: sources may have any future time.
 * @param stored finds stored configurations by id.
 */
export async function readSources(
  text: string,
  format: SourceFormat,
  now: Date | null,
  stored: (ids: readonly string[]) => Promise<readonly IdentifiedConfiguration[]>,
): Promise<SourceLog> {
  const rows: Row<Json>[] = [];
  const issues: LineIssue[] = [];
  const read = format === 'csv' ? namedCsvRows(Readable.from([text])) : jsonRowsOf(text);
  for await (const row of withError(read)) {
    if (row instanceof RowError) issues.push({ line: row.line, path: '', message: row.message });
    else rows.push(row);
    if (issues.length === MAX_ISSUES) break;
    if (rows.length % ROWS_PER_TURN === 0) await othersTurn();
  }
  if (issues.length > 0) return { sources: [], configurations: [], issues };
  return parseRows(rows, now, new Map((await stored(namedIds(rows))).map((found) => [found.id, found])));
}

async function parseRows(
  rows: readonly Row<Json>[],
  now: Date | null,
  known: Map<string, IdentifiedConfiguration>,
): Promise<SourceLog> {
  const sources: LoggedSource[] = [];
  const issues: LineIssue[] = [];
  const used = new Map<string, IdentifiedConfiguration>();
  const source = sourceToStore(known, now);
  for (const [index, { line, value }] of rows.entries()) {
    const { value: parsed, errors } = strictly(parse(value, source));
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

/** No report can belong to a source of another time, and its row would stay for ever. */
function sourceToStore(
  known: ReadonlyMap<string, IdentifiedConfiguration>,
  now: Date | null,
): Parser<ParsedSource | null> {
  const source = loggedSource(known);
  return (place) => {
    const parsed = source(place);
    const time = parsed?.source.time.getTime() ?? null;
    if (time !== null && !isRecent(time, now)) place.at('time', isoText(time)).expected('source-time');
    return parsed;
  };
}

function namedIds(rows: readonly Row<Json>[]): readonly string[] {
  const ids = rows.flatMap(({ value }) => {
    const id = isJsonObject(value) ? value['configuration'] : undefined;
    return typeof id === 'string' ? [id] : [];
  });
  return [...new Set(ids)];
}

/** Yields to other work, so that a long log does not delay reports. */
const othersTurn = (): Promise<void> => new Promise(setImmediate);

async function* jsonRowsOf(text: string): AsyncGenerator<Row<Json> | RowError> {
  for await (const lines of linesOf([Buffer.from(text)])) for (const line of lines) yield jsonOrError(line);
}

function jsonOrError(row: Row<string>): Row<Json> | RowError {
  try {
    return { ...row, value: jsonOf(row) };
  } catch (error) {
    if (error instanceof RowError) return error;
    throw error;
  }
}

/** After the error there are no more rows. */
async function* withError(rows: AsyncIterable<Row<Json> | RowError>): AsyncGenerator<Row<Json> | RowError> {
  try {
    yield* rows;
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    yield error;
  }
}
