/**
 * What private matchings lose, for pages: the probabilities are promised, the bounds are doubles. All are in the unit of the
 * weights. For the exponential mechanism over all matchings see `utilityBound`, with the number of matchings for that of clicks.
 */

/**
 * With probability 1 − β at least, the true weight of the Laplace matching is at least that of the best matching less this.
 *
 * For whole a, discrete Laplace noise z of scale b has P[|z| > a] = 2·r^(a+1)/(1 + r) ≤ r^a with r = e^(−1/b), for 2r ≤ 1 + r. So
 * with a = ⌈b·ln(E/β)⌉ none of E edges has noise beyond a, but with probability E·e^(−a/b) ≤ β. Then the chosen matching, of greatest
 * noisy weight, falls short of the best one in rounded weight by the noise of both at most, each of m edges at most: 2m·a
 * grains. Rounding adds half a grain for each of these edges: m·g·(2a + 1) in all.
 * @param pairs m, how many pairs a matching has at most: min(clicks, conversions).
 * @param edges E.
 * @param scale b, in grains: `laplaceScale`.
 */
export function laplaceMatchingBound(
  pairs: number,
  edges: number,
  scale: number,
  grain: number,
  beta: number,
): number {
  return pairs * grain * (2 * Math.ceil(scale * Math.log(edges / beta)) + 1);
}

/**
 * With probability 1 − β at least, the greedy matching weighs at least half of what the best matching does less this, if no weight is
 * negative.
 *
 * Of s steps each picks an edge that weighs less than the greatest free one by more than α = 2Δ·ln(E·s/β)/ε_step with probability
 * β/s at most (`utilityBound` with k = ln(s/β)). In the end each edge of the best matching shares an end with a picked one, or is
 * one; charge it to the first of these. It was still free then, so it weighs at most α more; and a picked edge has two ends, so it is
 * charged twice at most. Hence OPT ≤ 2·W + s·α, and with ε_step = ε/s, W ≥ OPT/2 − Δ·s²·ln(E·s/β)/ε.
 * @param steps s = min(clicks, conversions).
 * @param edges E.
 */
export function greedyMatchingBound(
  steps: number,
  edges: number,
  sensitivity: number,
  epsilon: number,
  beta: number,
): number {
  return (sensitivity * steps ** 2 * Math.log((edges * steps) / beta)) / epsilon;
}

/**
 * With probability 1 − β at least, the released value of the best matching is off by this at most: a = ⌈b·ln(1/β)⌉ grains of noise
 * (see `laplaceMatchingBound`) and half a grain of rounding.
 * @param scale b, in grains: `valueScale`.
 */
export function matchingValueBound(scale: number, grain: number, beta: number): number {
  return grain * (Math.ceil(scale * Math.log(1 / beta)) + 0.5);
}
