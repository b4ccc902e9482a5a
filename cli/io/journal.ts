import { existsSync, rmSync } from 'node:fs';
import { addOwnLine, readOwnLines } from '../../node/own-lines';
import { isJsonObject, type Json } from '../../src/model/json';
import { integer, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse } from '../../formats/codec/issues';
import { hashOf } from './hash';
import { accept, InputError, readText } from './input';
import { writing } from './output';

/** The results so far of an unfinished experiment: a line for each finished task. */
export class Journal<Result> {
  private readonly first: string;

  /**
   * @param parts the inputs of the results, by names for people.
   * @param result reads a result.
   */
  constructor(
    readonly file: string,
    private readonly parts: Readonly<Record<string, unknown>>,
    private readonly result: Parser<Result>,
  ) {
    this.first = JSON.stringify(hashesOf(parts));
  }

  get exists(): boolean {
    return existsSync(this.file);
  }

  /** Begins anew. */
  begin(): void {
    rmSync(this.file, { force: true });
    addOwnLine(this.file, this.first);
  }

  /**
   * The finished tasks. An incomplete last line is removed.
   * @throws InputError if the file belongs to another experiment, or to other data.
   */
  resume(): Map<number, Result> {
    const whole = writing(this.file, () => readOwnLines(this.file));
    if (whole.length === 0) {
      this.begin();
      return new Map<number, Result>();
    }
    return this.finishedIn(whole, '; without --resume the results begin anew');
  }

  /**
   * The finished tasks of a journal that another process may still write, without a change to it.
   * @throws InputError if there is no such file, or it belongs to another experiment, or to other data.
   */
  read(): ReadonlyMap<number, Result> {
    // The last line may be incomplete.
    return this.finishedIn(readText(this.file).split('\n').slice(0, -1), '');
  }

  /** @param remedy what to do if they are of another experiment */
  private finishedIn(whole: readonly string[], remedy: string): Map<number, Result> {
    const finished = new Map<number, Result>();
    const other = this.changed(jsonOf(whole[0] ?? ''));
    if (other !== undefined) throw new InputError(`${this.file}: must be of the same ${other}${remedy}`);
    whole.slice(1).forEach((line, index) => {
      const place = `${this.file}: line ${index + 2}`;
      const [task, result] = accept(place, parse(jsonOf(line), this.line));
      finished.set(task, result);
    });
    return finished;
  }

  private readonly line: Parser<readonly [task: number, result: Result]> = (place) => {
    const fields = new Fields(place);
    const task = fields.required('task', integer(0, Number.MAX_SAFE_INTEGER), 0);
    return [task, this.result(place)];
  };

  /** The first part that differs from the one with which the file was begun. */
  private changed(begun: Json): string | undefined {
    return Object.entries(hashesOf(this.parts)).find(
      ([name, hash]) => !isJsonObject(begun) || begun[name] !== hash,
    )?.[0];
  }

  add(task: number, result: Result): void {
    addOwnLine(this.file, JSON.stringify({ task, ...result }));
  }

  remove(): void {
    rmSync(this.file);
  }
}

const hashesOf = (parts: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, hashOf(part)]));

function jsonOf(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}
