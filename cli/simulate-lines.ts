import { mistake } from '../src/model/mistakes';
import { english } from '../words/english';
import type { Json } from '../src/model/json';
import { userOf } from '../analysis/simulation/log-line';
import { InputError } from './input';
import { linesOf, type Row } from '../node/lines';
import { jsonOf } from '../node/rows';
import { rowProblem } from './rows';
import type { ByteSource } from './simulate-source';

/** One event of the log, before it is parsed. */
export interface RawLine {
  readonly user: string;
  /** In milliseconds since the epoch. */
  readonly time: number;
  /** Its line in the file, from 1. */
  readonly line: number;
  /** Its number in the log; one line of CSV can make several events. */
  readonly sequence: number;
  /** Events of a user with the same key count once; null where each line counts. */
  readonly once: string | null;
  readonly text: string;
}

export class Progress {
  /** Lines that are not blank, or rows of a CSV file. */
  lines = 0;
  /** Rows that map to no event. */
  unmapped = 0;
  users = 0;
  /** Events left out because an earlier one had the same key. */
  repeated = 0;
}

/** Reads a log with one event per line. Skips blank lines. */
export async function* eventLines(
  source: ByteSource,
  progress: Progress,
): AsyncGenerator<readonly RawLine[], void, undefined> {
  for await (const lines of linesOf(source.open()))
    yield lines.map((line) => {
      progress.lines += 1;
      return rawLine(line, source.file);
    });
}

function rawLine(row: Row<string>, file: string): RawLine {
  const { line, value: text } = row;
  const place = `${file}: line ${line}`;
  const json = parseLine(row, file);
  const user = userOf(json);
  if (user === null) throw new InputError(`${place}: ${english.mistakeText(mistake('no-user'))}`);
  // `userOf` has seen that it is an object.
  const { timestamp } = json as { readonly timestamp?: Json };
  if (typeof timestamp !== 'string' || !/^\d{1,15}$/.test(timestamp))
    throw new InputError(
      `${place}: timestamp: must be a string with milliseconds since the epoch, was ${timestamp === undefined ? 'missing' : JSON.stringify(timestamp)}`,
    );
  return { user, time: Number(timestamp), line, sequence: line, once: null, text };
}

function parseLine(row: Row<string>, file: string): Json {
  try {
    return jsonOf(row);
  } catch (error) {
    throw rowProblem(file, error);
  }
}
