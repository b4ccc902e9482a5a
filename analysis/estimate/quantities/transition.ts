import { probabilities, type FiniteMechanism } from '../../../src/privacy/finite-distribution';

/** Exact to the last digit of a double, except for outputs with a tiny probability. */
const BITS = 128;

/** A mechanism's transition matrix: for each input, the probability of each output. */
export const transitionRows = (
  mechanism: FiniteMechanism<unknown>,
  inputs: number,
): readonly (readonly number[])[] =>
  Array.from({ length: inputs }, (_, input) =>
    probabilities(mechanism.weights(input)).map((probability) => Number(probability(BITS).lower) / 2 ** BITS),
  );
