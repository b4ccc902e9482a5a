import { upperTail } from './error-function';
import { fourierTransform } from './fourier';
import { logOfMixture, logOfSum } from './renyi';

/*
 * ε of many steps of the Poisson-subsampled Gaussian mechanism by privacy loss distributions (Koskela, Jälkö & Honkela 2020), an upper bound
 * tight to a fraction of a percent. Neighbours differ in one example more or less.
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
  const directions = [removing(rate, deviation), adding(rate, deviation)];
  const epsilons = directions.map((curve) =>
    epsilonAt(composed(discretised(curve, rate, deviation), steps), delta),
  );
  return Math.max(...epsilons);
}

/** δ(ε) of one step: the mass by which one world exceeds e^ε times the other. */
type HockeyStick = (epsilon: number) => number;

/** Where the loss ln(1 − q + q·e^((2x − 1)/2σ²)) has this value; −∞ if it is always above. */
function placeOfLoss(rate: number, deviation: number, loss: number): number {
  const excess = Math.expm1(loss) + rate;
  return excess <= 0 ? -Infinity : deviation ** 2 * Math.log(excess / rate) + 0.5;
}

/** The world with the example against the one without it. */
function removing(rate: number, deviation: number): HockeyStick {
  return (epsilon) => {
    const place = placeOfLoss(rate, deviation, epsilon);
    const without = upperTail(place / deviation);
    const taken = upperTail((place - 1) / deviation);
    return (1 - rate) * without + rate * taken - Math.exp(epsilon) * without;
  };
}

/** The world without the example against the one with it. */
function adding(rate: number, deviation: number): HockeyStick {
  return (epsilon) => {
    const place = placeOfLoss(rate, deviation, -epsilon);
    if (place === -Infinity) return 0;
    const without = upperTail(-place / deviation);
    const taken = upperTail((1 - place) / deviation);
    return without - Math.exp(epsilon) * ((1 - rate) * without + rate * taken);
  };
}

/**
 * The distribution on a grid whose δ(ε) agrees on the grid and is linear in e^ε between: never below the true one, as that is convex
 * ("connecting the dots", Doroshenko et al. 2022).
 */
function discretised(curve: HockeyStick, rate: number, deviation: number): LossDistribution {
  const width = gridWidth(rate, deviation);
  const range = TAIL_DEVIATIONS * deviation;
  const most = Math.ceil(Math.abs(logOfMixture(rate, (2 * (range + 1) - 1) / (2 * deviation ** 2))) / width);
  const least = Math.ceil(Math.abs(logOfMixture(rate, (-2 * range - 1) / (2 * deviation ** 2))) / width);
  const [below, above] = [-Math.max(least, most), Math.max(least, most)];
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

/** The loss of one step has a standard deviation of about q·√(e^(1/σ²) − 1) where that is small. */
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
