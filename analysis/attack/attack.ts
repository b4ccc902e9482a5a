import type { RandomSource } from '../../src/privacy/random-source';
import { wilsonInterval } from '../estimate/intervals/normal';

/** A number, a word that pages translate, or several words of one thing. The page lists the columns whose numbers are probabilities. */
type Cell = number | string | readonly string[];

/** A table that an attacker sees, or what they make of it. */
interface AttackTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** One draw of secrets and noise. */
export interface AttackTrial {
  readonly tables: readonly AttackTable[];
  /** By attacker: the share of the secrets that they guess right. If several guesses are equally good, one of them is taken by chance. */
  readonly right: readonly number[];
}

/**
 * Somebody guesses the secret of a person, which is as likely to be one value as another. `epsilon` bounds what everything that they see together may reveal about
 * the person; null: no noise. Lists are by attacker.
 */
export interface Attack {
  /** In English, for the command. */
  readonly what: string;
  readonly attackers: readonly string[];
  readonly trial: (epsilon: number | null, random: RandomSource) => AttackTrial;
  /** The chance that each guesses right, where all cases can be added up. */
  readonly exact?: (epsilon: number | null) => readonly number[];
  /** The greatest chance that ε allows anybody; null: nothing is promised. */
  readonly bounds: (epsilon: number | null) => readonly (number | null)[];
}

/** How often one attacker guesses right. */
export interface Success {
  readonly share: number;
  /** The ends of the interval; the share itself if it is exact. */
  readonly low: number;
  readonly high: number;
}

/**
 * Measures an attack, one trial at a time, so that a page can draw in between.
 * @param random for each trial. Attacks that are exact need none
 */
export function* measureAttack(
  { attackers, exact, trial }: Attack,
  epsilon: number | null,
  trials: number,
  random: (stream: number) => RandomSource,
): Generator<undefined, readonly Success[]> {
  if (exact !== undefined) return exact(epsilon).map((share) => ({ share, low: share, high: share }));
  const totals = attackers.map(() => 0);
  for (let stream = 0; stream < trials; stream++) {
    trial(epsilon, random(stream)).right.forEach((share, attacker) => {
      totals[attacker] = (totals[attacker] ?? 0) + share;
    });
    yield;
  }
  return totals.map((total) => scored(total, trials));
}

/** All of it at once. */
export function measured(steps: ReturnType<typeof measureAttack>): readonly Success[] {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The interval at 95 % is for trials that fail or succeed; a share of several guesses varies less. */
function scored(total: number, trials: number): Success {
  const [low, high] = wilsonInterval(total, trials, 0.95);
  return { share: total / trials, low, high };
}

/** The secret of somebody who may have bought something, in a table. */
export const boughtOrNot = (secret: number): string => (secret === 1 ? 'bought' : 'nothing');
