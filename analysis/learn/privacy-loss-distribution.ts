import { upperTail } from './error-function';
import { fourierTransform } from './fourier';
import { logOfMixture, logOfSum } from './logarithms';

/*
 * ε of many steps of the Poisson-subsampled Gaussian mechanism by privacy loss distributions (Koskela, Jälkö & Honkela 2020), an upper bound.
 * Neighbours differ in one example that is replaced by another, as labels are: the mechanisms of label noise and of gradients add up only if
 * they have the same relation.
 */

/** P[L = i·width] for a discretised privacy loss L; `infinite` is the mass of infinite losses. */
interface LossDistribution {
  readonly width: number;
  readonly first: number;
  readonly masses: Float64Array;
  readonly infinite: number;
}

/** The mass that may be cut off at each side of the composed losses; it counts as infinite loss. */
const CUT = 1e-13;

/**
 * @param rate q, the probability with which each example is taken.
 * @param deviation σ, of the noise over the clipping length.
 */
export function privacyLossEpsilon(rate: number, deviation: number, steps: number, delta: number): number {
  return epsilonAt(composed(discretised(replacing(rate, deviation), rate, deviation), steps), delta);
}

/** δ(ε) of one step: the mass by which one world exceeds e^ε times the other. */
type HockeyStick = (epsilon: number) => number;

/**
 * Of replacing an example: with probability q the step's sum has v in one world and v′ in the other, at most 1 long each, else neither. Opposite
 * directions are the worst: (1 − q)·N(0, σ²) + q·N(1, σ²) against (1 − q)·N(0, σ²) + q·N(−1, σ²) (Lebeda, Regehr, Kamath & Steinke 2024), the
 * same both ways.
 */
function replacing(rate: number, deviation: number): HockeyStick {
  const beyond = (place: number, mean: number): number =>
    (1 - rate) * upperTail(place / deviation) + rate * upperTail((place - mean) / deviation);
  return (epsilon) => {
    const place = placeOfLoss(rate, deviation, epsilon);
    return Math.max(0, beyond(place, 1) - Math.exp(epsilon) * beyond(place, -1));
  };
}

/** The loss at a place: the logarithm of the two worlds' ratio there. It rises with the place. */
function lossAt(rate: number, deviation: number, place: number): number {
  const variance = 2 * deviation ** 2;
  return logOfMixture(rate, (2 * place - 1) / variance) - logOfMixture(rate, (-2 * place - 1) / variance);
}

/** Where the loss has this value, to the last digits; beyond all that matters where it is never so great. */
function placeOfLoss(rate: number, deviation: number, loss: number): number {
  const end = 2 * (TAIL_DEVIATIONS * deviation + 1);
  let [low, high] = [-end, end];
  for (let halving = 0; halving < HALVINGS; halving++) {
    const middle = (low + high) / 2;
    if (lossAt(rate, deviation, middle) < loss) low = middle;
    else high = middle;
  }
  return high;
}

/** Enough for an error of 10⁻¹³ of the range. */
const HALVINGS = 44;

/**
 * The distribution on a grid whose δ(ε) agrees on the grid and is linear in e^ε between: never below the true one, as that is convex
 * ("connecting the dots", Doroshenko et al. 2022).
 */
function discretised(curve: HockeyStick, rate: number, deviation: number): LossDistribution {
  const width = gridWidth(rate, deviation);
  const most = lossAt(rate, deviation, TAIL_DEVIATIONS * deviation + 1);
  const above = Math.ceil(most / width);
  const below = -above;
  const count = above - below + 1;
  const heights = Float64Array.from({ length: count + 1 }, (_, i) => curve((below + i) * width));
  const masses = new Float64Array(count);
  const up = Math.expm1(width);
  const down = -Math.expm1(-width);
  for (let i = 0; i < count; i++) {
    const height = heights[i] ?? 0;
    const rise = i === count - 1 ? 0 : ((heights[i + 1] ?? 0) - height) / up;
    // Below the grid, δ = 1 − e^ε: the loss is always greater.
    const before = i === 0 ? -Math.expm1((below - 1) * width) : (heights[i - 1] ?? 0);
    masses[i] = Math.max(0, rise - (height - before) / down);
  }
  return { width, first: below, masses, infinite: Math.max(0, heights[count - 1] ?? 0) };
}

const TAIL_DEVIATIONS = 9;
/** Grid points per standard deviation of one step's loss. */
const POINTS_PER_DEVIATION = 8;

/** The loss of one step has a standard deviation of about 2q·√(e^(1/σ²) − 1) or less where that is small. */
const gridWidth = (rate: number, deviation: number): number =>
  Math.min(0.02, (rate * Math.sqrt(Math.expm1(Math.min(1, deviation ** -2)))) / POINTS_PER_DEVIATION);

/** The sum of `steps` independent losses. */
function composed(one: LossDistribution, steps: number): LossDistribution {
  const lowest = Math.floor(-chernoff(one, steps, -1) / one.width);
  const highest = Math.ceil(chernoff(one, steps, 1) / one.width);
  const length = 2 ** Math.ceil(Math.log2(highest - lowest + 2));
  const re = new Float64Array(length);
  const im = new Float64Array(length);
  const wrapped = (index: number): number => ((index % length) + length) % length;
  one.masses.forEach((mass, i) => {
    const to = wrapped(one.first + i);
    re[to] = (re[to] ?? 0) + mass;
  });
  fourierTransform(re, im, -1);
  for (let i = 0; i < length; i++) {
    const size = Math.hypot(re[i] ?? 0, im[i] ?? 0) ** steps;
    const angle = Math.atan2(im[i] ?? 0, re[i] ?? 0) * steps;
    re[i] = size * Math.cos(angle);
    im[i] = size * Math.sin(angle);
  }
  fourierTransform(re, im, 1);
  const masses = Float64Array.from({ length }, (_, i) =>
    Math.max(0, (re[wrapped(lowest + i)] ?? 0) / length),
  );
  const infinite = -Math.expm1(steps * Math.log1p(-one.infinite)) + 2 * CUT;
  return { width: one.width, first: lowest, masses, infinite };
}

/** A bound that the sum (times `side`) exceeds with a probability of at most CUT: min over t of (steps·ln E[e^(tL)] + ln(1/CUT))/t. */
function chernoff({ width, first, masses }: LossDistribution, steps: number, side: 1 | -1): number {
  let best = Infinity;
  for (let t = 2 ** -10; t <= 2 ** 16; t *= 2) {
    const logs = masses.map((mass, i) =>
      mass === 0 ? -Infinity : t * side * (first + i) * width + Math.log(mass),
    );
    best = Math.min(best, (steps * logOfSum(logs) - Math.log(CUT)) / t);
  }
  return best;
}

/** The least ε ≥ 0 with Σ_{ℓ > ε} P[ℓ]·(1 − e^(ε − ℓ)) + infinite ≤ δ; ∞ if there is none. */
function epsilonAt({ width, first, masses, infinite }: LossDistribution, delta: number): number {
  if (infinite > delta) return Infinity;
  // From above: `mass` and `scaled` = Σ P[ℓ]·e^−ℓ over the losses above; between two grid points δ is mass − e^ε·scaled.
  let [mass, scaled] = [infinite, 0];
  for (let i = masses.length - 1; i >= 0; i--) {
    const loss = (first + i) * width;
    if (loss < 0) break;
    if (mass - Math.exp(loss) * scaled > delta) return Math.max(0, Math.log((mass - delta) / scaled));
    mass += masses[i] ?? 0;
    scaled += (masses[i] ?? 0) * Math.exp(-loss);
  }
  return mass - scaled > delta ? Math.log((mass - delta) / scaled) : 0;
}
