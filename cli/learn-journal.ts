import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { CellResult } from '../analysis/learn/run-cell';
import { isJsonObject, type Json } from '../src/model/json';
import { hashOf } from './simulate-checkpoint';
import { InputError } from './input';

const FIELDS = [
  'error',
  'squaredError',
  'calibration',
  'validationError',
  'spentEpsilon',
  'spentDelta',
] as const satisfies readonly (keyof CellResult)[];
const OPTIONAL = [
  'auc',
  'logLoss',
  'normalisedEntropy',
  'labelError',
] as const satisfies readonly (keyof CellResult)[];

/** The results so far of an experiment that is not complete: a line for each finished training. */
export class Journal {
  private readonly first: string;

  constructor(
    readonly file: string,
    experiment: unknown,
  ) {
    this.first = JSON.stringify({ run: hashOf(experiment) });
  }

  get exists(): boolean {
    return existsSync(this.file);
  }

  /** Begins anew. */
  begin(): void {
    writeFileSync(this.file, `${this.first}\n`);
  }

  /**
   * The finished trainings. A last line that a stop has cut off is removed.
   * @throws InputError when the file is of another experiment.
   */
  resume(): Map<number, CellResult> {
    const finished = new Map<number, CellResult>();
    const whole = this.exists ? readFileSync(this.file, 'utf8').split('\n').slice(0, -1) : [];
    if (whole.length === 0) {
      this.begin();
      return finished;
    }
    if (whole[0] !== this.first)
      throw new InputError(
        `${this.file}: must be of the same experiment; without --resume the results begin anew`,
      );
    whole.slice(1).forEach((line, index) => {
      const [cell, result] = this.parsed(line, index + 2);
      finished.set(cell, result);
    });
    writeFileSync(this.file, `${whole.join('\n')}\n`);
    return finished;
  }

  private parsed(line: string, number: number): [cell: number, result: CellResult] {
    const value = jsonOf(line);
    const numberOf = (name: string): number => {
      const found = isJsonObject(value) ? value[name] : undefined;
      if (typeof found !== 'number')
        throw new InputError(`${this.file}: line ${number}: must have the number "${name}"`);
      return found;
    };
    const numberOrNull = (name: string): number | null =>
      isJsonObject(value) && value[name] === null ? null : numberOf(name);
    return [numberOf('cell'), { ...recordOf(FIELDS, numberOf), ...recordOf(OPTIONAL, numberOrNull) }];
  }

  add(cell: number, result: CellResult): void {
    appendFileSync(this.file, `${JSON.stringify({ cell, ...result })}\n`);
  }

  remove(): void {
    rmSync(this.file);
  }
}

const recordOf = <Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> =>
  // It has a value for each name.
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;

function jsonOf(line: string): Json {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return null;
  }
}
