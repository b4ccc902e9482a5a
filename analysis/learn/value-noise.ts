import type { OnRound } from '../../numeric/output-grid';
import type { FiniteMechanism } from '../../src/privacy/finite-distribution';
import type { RandomSource } from '../../src/privacy/random-source';
import type { Exact } from '../../src/privacy/rational';
import { rrOnBins } from '../../src/privacy/rr-on-bins';
import { unbiasedRandomizer } from '../../src/privacy/unbiased-randomizer';
import { answersTo, type RandomizerFor } from './label-noise';
import { RandomNumbers } from './random-numbers';

export type ValueMethod = 'rr-on-bins' | 'unbiased';

/** What a mechanism for values knows before it sees one. */
export interface ValueNoise {
  readonly method: ValueMethod;
  /** The values that it tells apart, ascending from 0. */
  readonly values: readonly number[];
  /** How likely each is. */
  readonly prior: readonly Exact[];
  /** What the bins of `rr-on-bins` are best for. */
  readonly loss: 'squared' | 'poisson';
  /** Whether answers of `rr-on-bins` are de-biased; those of `unbiased` need not be. */
  readonly isDebiased: boolean;
}

/** A round of the search for the unbiased randomizer of so many values, as `OnRound` gets it. */
export type SolverRound = Parameters<OnRound>[0] & { readonly values: number; readonly epsilon: number };
/** Takes each round of each search. */
export type OnSolverRound = (round: SolverRound) => void;

/** Rounds a label to one of the values, and randomizes that. */
export const valueRandomizer =
  (
    { method, values, prior, loss, isDebiased }: ValueNoise,
    onRound: OnSolverRound = () => undefined,
  ): RandomizerFor =>
  (epsilon) => {
    const tell: OnRound = (round) => onRound({ ...round, values: values.length, epsilon });
    const answer =
      method === 'rr-on-bins'
        ? answersTo(values, rrOnBins(values, prior, loss, epsilon), isDebiased)
        : answersTo(values, numbers(unbiasedRandomizer(values, prior, epsilon, tell)), false);
    return (label, random) => answer(roundedPlace(values, label, random), random);
  };

const numbers = ({ outputs, weights }: ReturnType<typeof unbiasedRandomizer>): FiniteMechanism<number> => ({
  outputs: outputs.map((output) => output.toNumber()),
  weights,
});

/**
 * The place of the value next to a label: at random one of both neighbours, so that the mean is the label. Labels above the last value count
 * as that.
 * @param values ascending from 0.
 */
export function roundedPlace(values: readonly number[], label: number, random: RandomSource): number {
  const next = values.findIndex((value) => value > label);
  if (next < 0) return values.length - 1;
  if (next === 0) return 0;
  const [low, high] = [values[next - 1] ?? 0, values[next] ?? 0];
  if (label === low) return next - 1;
  return new RandomNumbers(random).uniform() < (label - low) / (high - low) ? next : next - 1;
}
