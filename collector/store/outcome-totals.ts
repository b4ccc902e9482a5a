import { COUNTS, nothing, type OutcomeRow } from './outcomes';

/** How many sources with a single outcome a configuration and group have. */
export interface ChosenOutcome extends OutcomeRow {
  readonly configuration: string;
  readonly grouped: readonly string[];
  /** Whether their last report window is still open. */
  readonly open: boolean;
}

type Total = { -readonly [name in keyof ChosenOutcome]: ChosenOutcome[name] };

/** Adds up the outcomes of several ranges. */
export class OutcomeTotals {
  readonly #totals = new Map<string, Total>();

  /** @param times negative: subtracts. */
  add(outcome: ChosenOutcome, times: number): void {
    const { configuration, grouped, open, output } = outcome;
    const key = JSON.stringify([configuration, open, output, ...grouped]);
    let total = this.#totals.get(key);
    if (total === undefined)
      this.#totals.set(key, (total = { ...nothing, configuration, grouped, open, output }));
    for (const name of COUNTS) total[name] += times * outcome[name];
  }

  /** Without entries whose count is 0. */
  rows(): readonly ChosenOutcome[] {
    return [...this.#totals.values()].filter((row) => COUNTS.some((name) => row[name] !== 0));
  }
}
