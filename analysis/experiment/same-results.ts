import type { Json } from '../../src/model/json';
import type { Axis } from './grid';
import type { CellOutcome } from './outcome';
import type { Section } from '../simulation/outcome-counter';
import { isEffective, noEffect, wholeOf, type EffectiveSetting } from '../simulation/setting-effects';
import type { RunResult } from './result';

/** A cell with exactly the results of an earlier one, run by run: what differs between them had no effect. */
export interface SameResults {
  readonly cell: number;
  /** The first cell with these results. */
  readonly as: number;
  /** What differs between the two. */
  readonly axes: readonly string[];
  /** Why sources did not get the mechanism of the cell, with how many they are; one run for all. */
  readonly fallbacks: readonly { readonly what: string; readonly count: number }[];
  /** Settings of the cell that changed no registration. */
  readonly unreached: readonly EffectiveSetting[];
}

/** Two cells with the same randomness and the same results differ in nothing that was simulated. So a difference of 0 says nothing. */
export function sameResults(grid: readonly Axis[], outcomes: readonly CellOutcome[]): readonly SameResults[] {
  const first = new Map<string, number>();
  return outcomes.flatMap((outcome, cell) => {
    const key = JSON.stringify([outcome.truth, outcome.credit, outcome.noisy].flat().map(withoutReasons));
    const as = first.get(key);
    if (as === undefined) {
      first.set(key, cell);
      return [];
    }
    const others = outcomes[as]?.values ?? [];
    const axes = grid.flatMap(({ name }, axis) => (isSame(outcome.values[axis], others[axis]) ? [] : [name]));
    const [run] = outcome.noisy;
    return [{ cell, as, axes, fallbacks: fallbacksOf(run), unreached: unreachedIn(run) }];
  });
}

const isSame = (a: Json = null, b: Json = null): boolean => JSON.stringify(a) === JSON.stringify(b);

/** They only say why a setting had no effect. */
const EXPLAINING: readonly Section[] = ['mechanism_fallbacks', 'setting_effects'];
const withoutReasons = (result: RunResult): RunResult => ({
  ...result,
  counts: result.counts.filter(({ section }) => !EXPLAINING.includes(section)),
});

const fallbacksOf = (run: RunResult | undefined): SameResults['fallbacks'] =>
  (run?.counts ?? []).flatMap(({ section, kind, count }) =>
    section === 'mechanism_fallbacks' ? [{ what: kind, count }] : [],
  );

const unreachedIn = (run: RunResult | undefined): SameResults['unreached'] =>
  (run?.counts ?? []).flatMap(({ section, kind, count }) =>
    section === 'setting_effects' && isEffective(kind) && count === 0 ? [kind] : [],
  );

/** The setting that an axis varies. */
const settingOf = (axis: string): string =>
  axis === 'allocation' ? 'budget' : wholeOf(axis.replace(/^settings\./, ''));

/** One sentence for people about each cell. */
export const sameText = (same: SameResults, describe: (cell: number) => string): string => {
  const reason = reasonText(same);
  return `Cell ${same.cell} (${describe(same.cell)}) has exactly the results of cell ${same.as} (${describe(same.as)}): ${same.axes.join(' and ')} had no effect${reason === '' ? '' : `: ${reason}`}.`;
};

/** Why nothing changed, as far as it is known. */
export function reasonText({ axes, fallbacks, unreached }: SameResults): string {
  const counted = fallbacks.map(({ what, count }) => `${count} sources: ${what}`);
  const settings = new Set(axes.map(settingOf));
  const without = unreached.filter((name) => settings.has(wholeOf(name)));
  return [...counted, ...without.map((name) => noEffect[name])].join('; ');
}
