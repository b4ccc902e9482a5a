import type { RandomSource } from '../../src/privacy/random-source';
import { Rational } from '../../src/privacy/rational';
import { privateCounts, smoothed, withoutPart } from '../optimize/private-prior';
import { selectRows, type Examples } from './examples';
import { chosenRows, rowsByUnit, type UnitBudget } from './label-noise';
import type { LabelUse, PrivacyAccountant } from './privacy-accountant';
import { roundedPlace } from './value-noise';

/**
 * Where a mechanism gets its prior. `uniform`: nowhere, all labels are as likely. Otherwise from an ε-private histogram: with
 * `split-budget` a tenth of each unit's ε pays for it, with `split-people` a tenth of the units are asked for nothing else.
 */
export type PriorSource = 'uniform' | 'split-budget' | 'split-people';

const PART = 0.1;

/** A prior, and the examples and budget that are left. */
interface Prior {
  readonly prior: readonly string[];
  readonly examples: Examples;
  readonly budget: UnitBudget;
}

/** @param values that the prior is of, ascending from 0; labels are rounded to them. */
export function priorFrom(
  source: PriorSource,
  values: readonly number[],
  examples: Examples,
  budget: UnitBudget,
  random: RandomSource,
  accountant: PrivacyAccountant,
): Prior {
  const priorOf = (asked: Examples, epsilon: number, use: LabelUse): readonly string[] =>
    histogram(values, asked, { ...budget, epsilon }, use, random, accountant);
  switch (source) {
    case 'uniform':
      return { prior: values.map(() => `1/${values.length}`), examples, budget };
    case 'split-budget': {
      const epsilon = PART * budget.epsilon;
      accountant.spend({ what: 'prior', epsilon, delta: 0 });
      const prior = priorOf(examples, epsilon, 'prior');
      return { prior, examples, budget: { ...budget, epsilon: withoutPart(budget.epsilon, epsilon) } };
    }
    case 'split-people': {
      const [asked, others] = splitUnits(examples, budget);
      // What the caller enters for the labels of the others is as much as these units lose.
      return { prior: priorOf(asked, budget.epsilon, 'labels'), examples: others, budget };
    }
  }
}

/** Counts the first label of each unit. */
function histogram(
  values: readonly number[],
  examples: Examples,
  budget: UnitBudget,
  use: LabelUse,
  random: RandomSource,
  accountant: PrivacyAccountant,
): readonly string[] {
  const { rows } = chosenRows(examples, { ...budget, allocation: 'per-cap', cap: 1 }, random, accountant);
  const seen = new Map<number, number>();
  for (const row of rows) {
    const value = values[roundedPlace(values, accountant.readLabel(examples, row, use), random)] ?? 0;
    seen.set(value, (seen.get(value) ?? 0) + 1);
  }
  const counts = privateCounts(seen, values, Rational.of(budget.epsilon), random);
  return smoothed(counts.values()).map(String);
}

/** The examples of every tenth unit and period, and those of the others. */
function splitUnits(examples: Examples, budget: UnitBudget): readonly [Examples, Examples] {
  const isAsked = new Uint8Array(examples.count);
  let index = 0;
  for (const members of rowsByUnit(examples, budget)) {
    if (index % (1 / PART) === 0) for (const row of members) isAsked[row] = 1;
    index += 1;
  }
  const rows = Int32Array.from(isAsked, (_, row) => row);
  const part = (asked: number): Examples =>
    selectRows(
      examples,
      rows.filter((row) => isAsked[row] === asked),
    );
  return [part(1), part(0)];
}
