import { existsSync, rmSync } from 'node:fs';
import { readOwn } from '../../node/own-lines';
import type { Json } from '../../src/model/json';
import { integer, list, choice, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse } from '../../formats/codec/issues';
import { sections, type OutcomeCounts } from '../../analysis/simulation/outcome-counter';
import { accept, InputError } from '../io/input';
import { replaceFile } from '../io/output';

/** How far a simulation got, and its inputs. */
export interface Checkpoint {
  /** A hash of everything that determines the output, except the log. */
  readonly run: string;
  /** How many parts of the log are done. */
  readonly parts: number;
  /** A hash of these parts. */
  readonly log: string;
  /** How many bytes of output these parts made. */
  readonly bytes: number;
  /** And of the source log; 0 without one. */
  readonly sourcesBytes: number;
  readonly tally: OutcomeCounts;
}

/** The checkpoint beside an output. It exists from the first part until the output is complete; beside an older output, from the start. */
export class CheckpointFile {
  readonly file: string;

  constructor(output: string) {
    this.file = `${output}.checkpoint`;
  }

  exists(): boolean {
    return existsSync(this.file);
  }

  /** Null when there is none. */
  read(): Checkpoint | null {
    if (!this.exists()) return null;
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
const section = choice(...sections);

const checkpoint: Parser<Checkpoint> = (place) => {
  const fields = new Fields(place);
  return {
    run: fields.required('run', string, ''),
    parts: fields.required('parts', count, 0),
    log: fields.required('log', string, ''),
    bytes: fields.required('bytes', count, 0),
    sourcesBytes: fields.required('sourcesBytes', count, 0),
    tally: fields.required('tally', list(pair(section, list(pair(string, count)))), []),
  };
};

/** In milliseconds: the time that checkpoints may take in a short run; in a longer run, a hundredth of it. */
const ALLOWANCE = 100;
const SHARE = 1 / 100;

/** Limits the time in which checkpoints wait for the disk. Times are in milliseconds since the same moment. */
export class CheckpointPace {
  private spent = 0;

  constructor(private readonly start: number) {}

  isDue(now: number): boolean {
    return this.spent <= Math.max(ALLOWANCE, SHARE * (now - this.start));
  }

  took(from: number, to: number): void {
    this.spent += to - from;
  }
}
