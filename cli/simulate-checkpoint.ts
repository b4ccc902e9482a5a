import { createHash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { readOwn } from '../node/own-lines';
import type { Json } from '../src/model/json';
import { Fields, integer, list, oneOf, string, type Parser } from '../src/parsing/fields';
import { parse } from '../src/parsing/issues';
import { sections, type Section, type TallyEntries } from '../analysis/simulation/tally';
import { accept, InputError } from './input';
import { replaceFile } from './output';
import type { Batch } from './simulate-users';

/** How far a simulation got, and what it was made from. */
export interface Checkpoint {
  /** A hash of everything that decides the output, except the log. */
  readonly run: string;
  /** How many batches are done. */
  readonly batches: number;
  /** A hash of these batches' users and events. */
  readonly log: string;
  /** How many bytes of output these batches made. */
  readonly bytes: number;
  /** And of the source log; 0 without one. */
  readonly sourcesBytes: number;
  readonly tally: TallyEntries;
}

export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** The hash of a log up to and including a batch. Line breaks separate events, because an event's JSON has none. */
export function hashWith(before: string, batch: Batch): string {
  const hash = createHash('sha256').update(before);
  for (const { lines } of batch) for (const { text } of lines) hash.update(`${text}\n`);
  return hash.digest('hex');
}

/** The checkpoint beside an output. It exists until the output is complete. */
export class CheckpointFile {
  readonly file: string;

  constructor(output: string) {
    this.file = `${output}.checkpoint`;
  }

  /** Null when there is none. */
  read(): Checkpoint | null {
    if (!existsSync(this.file)) return null;
    let text: string;
    try {
      text = readOwn(this.file);
    } catch (error) {
      throw new InputError(
        `${this.file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return accept(this.file, parse(this.json(text), checkpoint));
  }

  /** Atomic: a rename replaces the file. */
  write(checkpoint: Checkpoint): void {
    replaceFile(this.file, `${JSON.stringify(checkpoint)}\n`, 'owner');
  }

  remove(): void {
    rmSync(this.file, { force: true });
  }

  private json(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch {
      throw new InputError(`${this.file}: must be JSON`);
    }
  }
}

const pair =
  <A, B>(first: Parser<A>, second: Parser<B>): Parser<readonly [A, B]> =>
  (place) => {
    const items: readonly Json[] = Array.isArray(place.value) ? (place.value as readonly Json[]) : [];
    if (items.length !== 2) place.expected('pair');
    return [first(place.item(0, items[0] ?? null)), second(place.item(1, items[1] ?? null))];
  };

const count = integer(0, Number.MAX_SAFE_INTEGER);
const section: Parser<Section> = (place) => oneOf(...sections)(place) ?? 'sources';

const checkpoint: Parser<Checkpoint> = (place) => {
  const fields = new Fields(place);
  return {
    run: fields.required('run', string(), ''),
    batches: fields.required('batches', count, 0),
    log: fields.required('log', string(), ''),
    bytes: fields.required('bytes', count, 0),
    sourcesBytes: fields.required('sourcesBytes', count, 0),
    tally: fields.required('tally', list(pair(section, list(pair(string(), count)))), []),
  };
};
