import { mistake } from '../src/model/mistakes';
import { english } from '../words/english';
import type { Json } from '../src/model/json';
import { userOf } from '../analysis/simulation/log-line';
import { InputError } from './input';
import { linesOf, type ByteSource } from './simulate-source';

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
  let line = 0;
  for await (const texts of linesOf(source.open()))
    yield texts.flatMap((text) => {
      line += 1;
      if (text.trim() === '') return [];
      progress.lines += 1;
      return [rawLine(text, `${source.file}: line ${line}`, line)];
    });
}

function rawLine(text: string, place: string, line: number): RawLine {
  const json = parseLine(text, place);
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

function parseLine(text: string, place: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new InputError(
      `${place}: must be JSON (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}
