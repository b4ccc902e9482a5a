import { least } from '../../../numeric/extremes';
import type { ResponseRates } from '../intervals/channel';
import type { Measure } from '../quantities/measure';
import type { Aspect } from './mismatch';
import type { Quantity } from '../quantities/quantities';

/** Randomized response gives each source a uniformly random output with the probability of replacement. */
export function responseAspects(measures: readonly Measure[], { keep }: ResponseRates): readonly Aspect[] {
  return measures.flatMap(({ quantity, adds, shares }) => {
    const about = aboutOf(quantity);
    if (about === null || shares === null) return [];
    const values = [...shares.keys()].sort((a, b) => a - b);
    const below = [0];
    for (const value of values) below.push((below.at(-1) ?? 0) + (shares.get(value) ?? 0));
    const least = (first: number, end: number): number =>
      (1 - keep) * Math.min((below[end] ?? 0) - (below[first] ?? 0), 1);
    return { ...about, valueOf: adds, values, least };
  });
}

/** What is counted of a report state, or the value that is summed; null for quantities that follow from these. */
function aboutOf(quantity: Quantity): Pick<Aspect, 'about' | 'which'> | null {
  if (quantity.kind === 'conversions') return { about: 'reports', which: null };
  if (quantity.kind === 'trigger-data') return { about: 'trigger-data', which: quantity.triggerData };
  if (quantity.kind === 'window') return { about: 'window', which: quantity.windowEnd };
  const isSum = quantity.kind === 'label-sum' || quantity.kind === 'binned-sum';
  return isSum ? { about: 'value', which: null } : null;
}

/** @param rows for each truth, the probability of each output @param values of the outputs, ascending */
export const matrixAspect = (rows: readonly (readonly number[])[], values: readonly number[]): Aspect => ({
  about: 'value',
  which: null,
  valueOf: (output) => values[Number(output)] ?? NaN,
  values,
  least: (first, end) =>
    least(rows.map((row) => row.slice(first, end).reduce((sum, chance) => sum + chance, 0))),
});
