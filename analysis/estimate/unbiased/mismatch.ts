import { lowerTailBound } from './shortfall';
import { sourcesOf, type GroupTally } from './tally';

/** One number of each output, and how often noise alone gives it, whatever the truth is. */
export interface Aspect {
  readonly about: 'reports' | 'trigger-data' | 'window' | 'value';
  /** The trigger data, or the end of the window in seconds; null for all reports and for values. */
  readonly which: number | null;
  readonly valueOf: (output: string) => number;
  /** In ascending order. */
  readonly values: readonly number[];
  /** The least probability, over all truths, of an output with one of the values from `first` to before `end`. */
  readonly least: (first: number, end: number) => number;
}

/** Fewer sources with some outputs than the noise gives, and lost reports do not explain it: the outputs cannot come from this noise. */
export interface Mismatch extends Pick<Aspect, 'about' | 'which'> {
  /** The group of the sources; empty for all. */
  readonly group: readonly string[];
  /** Too few sources have at most, at least or exactly this value. */
  readonly side: Side;
  readonly value: number;
  /** The mean number of such sources that noise alone causes. */
  readonly expected: number;
  readonly observed: number;
}

type Side = 'at-most' | 'at-least' | 'exactly';

/** The largest probability that outputs of the stated noise are called impossible, over all groups of a configuration. */
const ERROR_PROBABILITY = 1e-6;

/**
 * Noise gives each source, whatever its truth is, an output of a set with at least some probability. So the number of sources with such an
 * output is at least a binomial number. Tests sets of outputs at equal parts of the error probability, with the bound of Chernoff (1952).
 * @param isShort whether reports were lost: then too few sources with many reports are no further evidence.
 * @returns the clearest evidence for each smallest group that has any. Larger ones may owe theirs to it.
 */
export function mismatchesOf(
  aspects: readonly Aspect[],
  tallies: readonly GroupTally[],
  isShort: boolean,
): readonly Mismatch[] {
  const sets = aspects.flatMap((aspect) => setsOf(aspect, isShort));
  const least = Math.log((sets.length * tallies.length) / ERROR_PROBABILITY);
  const found = tallies.flatMap((tally) => clearest(sets, tally, least) ?? []);
  return found.filter(
    ({ group }) => !found.some((other) => other.group !== group && isIn(other.group, group)),
  );
}

/** Whether what cannot be is in this group, or it is part of a group where it is. */
export const isRefused = (mismatches: readonly Mismatch[], group: readonly string[]): boolean =>
  mismatches.some((mismatch) => isIn(mismatch.group, group) || isIn(group, mismatch.group));

const isIn = (group: readonly string[], larger: readonly string[]): boolean =>
  larger.every((value, index) => value === group[index]);

interface OutputSet {
  readonly aspect: Aspect;
  readonly side: Side;
  readonly first: number;
  readonly end: number;
  readonly chance: number;
}

function setsOf(aspect: Aspect, isShort: boolean): readonly OutputSet[] {
  const { values, about } = aspect;
  const set = (side: Side, first: number, end: number): OutputSet => {
    return { aspect, side, first, end, chance: aspect.least(first, end) };
  };
  return values.flatMap((_, index) => [
    ...(index < values.length - 1 ? [set('at-most', 0, index + 1)] : []),
    ...(index > 0 && !(isShort && about !== 'value') ? [set('at-least', index, values.length)] : []),
    ...(about === 'value' && index > 0 && index < values.length - 1
      ? [set('exactly', index, index + 1)]
      : []),
  ]);
}

function clearest(sets: readonly OutputSet[], { group, tally }: GroupTally, least: number): Mismatch | null {
  const sources = sourcesOf(tally);
  const histograms = new Map<Aspect, readonly number[]>();
  let [mismatch, evidence]: [Mismatch | null, number] = [null, least];
  for (const { aspect, side, first, end, chance } of sets) {
    // Not even a count of 0 would say enough.
    if (-lowerTailBound(sources, chance, 0) < evidence) continue;
    const histogram = histograms.get(aspect) ?? histogramOf(aspect, tally);
    histograms.set(aspect, histogram);
    const observed = histogram.slice(first, end).reduce((sum, count) => sum + count, 0);
    const found = -lowerTailBound(sources, chance, observed);
    if (found < evidence || (mismatch !== null && found === evidence)) continue;
    evidence = found;
    const { about, which, values } = aspect;
    const value = values[side === 'at-most' ? end - 1 : first] ?? NaN;
    mismatch = { group, about, which, side, value, expected: sources * chance, observed };
  }
  return mismatch;
}

/** How many sources have each value. */
function histogramOf({ values, valueOf }: Aspect, tally: GroupTally['tally']): readonly number[] {
  const places = new Map(values.map((value, index) => [value, index]));
  const histogram = new Array<number>(values.length).fill(0);
  for (const [output, count] of tally) {
    const place = places.get(valueOf(output));
    if (place !== undefined) histogram[place] = (histogram[place] ?? 0) + count;
  }
  return histogram;
}

/** For the message about them. */
export const mismatchValues = (
  mismatches: readonly Pick<Mismatch, 'about' | 'which' | 'side' | 'value' | 'expected' | 'observed'>[],
  group: string,
): Readonly<Record<string, string | number>> => {
  const [first] = mismatches;
  return {
    group,
    about: first?.about === 'trigger-data' ? 'data' : (first?.about ?? ''),
    which: first?.which ?? '',
    side: first?.side === 'at-least' ? 'least' : first?.side === 'at-most' ? 'most' : 'exactly',
    value: first?.value ?? '',
    expected: Math.round(first?.expected ?? 0),
    observed: first?.observed ?? 0,
    more: mismatches.length - 1,
  };
};
