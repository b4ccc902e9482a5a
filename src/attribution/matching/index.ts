/** Conversions of one person whose candidate clicks overlap: which click gets which, privately. See docs/noise.md. */
export { countMatchings, MAX_MATCHINGS } from './enumerate';
export {
  exponentialMatching,
  exponentialMatchingDistribution,
  type ExponentialParameters,
} from './exponential';
export type { EdgeWeights, Matching, MatchingDistribution, MatchingParameters, Pair } from './graph';
export { greedyMatching, type GreedyParameters } from './greedy';
export { greedyMatchingDistribution } from './greedy-distribution';
export { laplaceMatching, laplaceScale, type LaplaceParameters } from './laplace';
export { greedyMatchingBound, laplaceMatchingBound, matchingValueBound } from './utility';
export { matchingValue, valueScale, type ValueParameters } from './value';
