import type { RealBounds } from './real-bounds';

/** The source of every random decision: independent, uniform 64-bit words. */
export interface RandomSource {
  /** A uniform number from 0 to 2^64 − 1. */
  uint64(): bigint;
  /**
   * Takes a decision itself: returns an index into the probabilities of the possible results. Only the audit has it, to go through
   * all results; without it, words decide.
   */
  readonly decide?: (probabilities: readonly RealBounds[]) => number;
}
