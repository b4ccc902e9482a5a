import { upperTail } from './error-function';
import { fourierTransform } from './fourier';
import { logOfMixture, logOfSum } from './logarithms';

/*
 * ε of many steps of the subsampled Gaussian mechanism by privacy loss distributions (Koskela, Jälkö & Honkela 2020), an upper bound.
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
 * What rounding may hide of each step, in its curve, in its Fourier transform and in the power of that: some units in the last place. It counts as
 * infinite loss, too. Without it, 10⁹ steps have a tenth less than their true ε at a δ of 10⁻¹², and 10¹⁷ steps none.
 */
const ROUNDING = 2 ** -50;

/** The most grid points of one step on each side, and of all steps together: more take minutes. Wider grids bound ε, too. */
const [MOST_OF_STEP, MOST_OF_ALL] = [2 ** 17, 2 ** 20];
/** On such a grid, ε would say nothing. */
const WIDEST = 1000;

/**
 * @param rate q: how often a step takes each example, on average.
 * @param deviation σ, of the noise over the clipping length.
 * @param draws of a step, each of any example, with replacement; null: each example is taken with probability q (Poisson sampling).
 * @returns ∞ if no bound is known.
 * @throws RangeError if one is NaN, or there are fewer steps than none.
 */
export function privacyLossEpsilon(
  rate: number,
  deviation: number,
  steps: number,
  delta: number,
  draws: number | null = null,
): number {
  const given = [rate, deviation, steps, delta, draws ?? 0];
  if (given.some(Number.isNaN)) throw new RangeError('privacyLossEpsilon: an argument is not a number');
  // Fewer than none would lose nothing.
  if (steps < 0) throw new RangeError('privacyLossEpsilon: the number of steps is negative');
  const { curve, most } =
    draws === null ? ofPoissonSampling(rate, deviation) : ofDraws(rate, deviation, draws);
  // Losses below the precision of their difference.
  if (!(most > 0)) return Infinity;
  let width = Math.max(gridWidth(rate, deviation), most / MOST_OF_STEP);
  while (width < WIDEST) {
    const one = discretised(curve, width, most);
    const infinite = infiniteOf(one, steps);
    // Also if it is not a number.
    if (!(infinite <= delta)) return Infinity;
    const range = rangeOf(one, steps);
    if (range.count <= MOST_OF_ALL) return epsilonAt(composed(one, steps, range, infinite), delta);
    width *= 2 ** Math.ceil(Math.log2(range.count / MOST_OF_ALL));
  }
  return Infinity;
}

interface Step {
  readonly curve: HockeyStick;
  /** Greater losses count as infinite. */
  readonly most: number;
}

const ofPoissonSampling = (rate: number, deviation: number): Step => ({
  curve: replacing(rate, deviation),
  most: lossAt(rate, deviation, TAIL_DEVIATIONS * deviation + 1),
});

function ofDraws(rate: number, deviation: number, draws: number): Step {
  const curve = replacingInDraws(rate, deviation, draws);
  let most = gridWidth(rate, deviation);
  while (curve(most) > CUT) most *= 1.25;
  return { curve, most };
}

/** e to this is nearly the greatest double. */
const GREATEST_EXPONENT = 700;

/** δ(ε) of one step for ε ≥ 0: the mass by which one world exceeds e^ε times the other. It is the same with the worlds exchanged. */
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
    const first = beyond(place, 1);
    // Without the second term it is larger.
    return epsilon > GREATEST_EXPONENT ? first : Math.max(0, first - Math.exp(epsilon) * beyond(place, -1));
  };
}

/** What has a lower probability in one step counts as lost. */
const RARE = 1e-14;
/** The bound holds for any place, and is flat around the best one. */
const FEW_HALVINGS = 24;

/**
 * Of replacing an example where a step draws B of n examples with replacement: it is drawn k times with probability P(k), binomial. Sums are normal
 * around the sum of what was drawn. With the example in k places of the batch, that is at most 2k from what it would be with others in some of these places, or
 * with the replacement. So of P(k), the mass e^ε·P(j) of the other world can hide any share, for each j ≤ k. The hockey-stick divergence is convex, so
 * δ(ε) ≤ Σ P(k)·δₖ(ln cₖ) over k ≥ 1, where δₖ is that of the Gaussian mechanism at distance 2k and P(k)·cₖ is the mass that hides k: any cₖ that rise
 * with k, with Σ P(k)·cₖ = e^ε − P(0), are possible. (All cₖ alike: Balle, Barthe & Gaboardi 2018, theorem 10.) The best are
 * likelihood ratios at a common place, and where these rise, the bound is exactly that of Σ P(k)·N(2k, σ²) against N(0, σ²): all
 * others have one gradient, and the example the opposite one.
 */
function replacingInDraws(rate: number, deviation: number, draws: number): HockeyStick {
  const chance = rate / draws;
  // There is no other example, so each draw takes this one.
  if (chance >= 1) return (loss) => gaussianDelta(loss, (2 * draws) / deviation);
  /** Of being drawn k times. */
  const chances = [Math.exp(draws * Math.log1p(-chance))];
  for (;;) {
    const k = chances.length;
    const next = ((chances[k - 1] ?? 0) * (draws - k + 1) * chance) / (k * (1 - chance));
    // The mean is at most 1, so all further ones have less than this together.
    if (2 * next < RARE && k > 1) break;
    chances.push(next);
  }
  const [none = 0, once = 0] = chances;
  const variance = deviation ** 2;
  const above = (loss: number): number => {
    let [low, high] = [0, 1 + (variance * (loss - Math.log(once))) / 2];
    for (let halving = 0; halving < FEW_HALVINGS; halving++) {
      const place = (low + high) / 2;
      if (hidden(place, loss) > 1 - none * Math.exp(-loss)) high = place;
      else low = place;
    }
    return RARE + shown(low);
  };
  /** ln cₖ: at most that of the k with the greatest, so that they rise. */
  const logRatio = (k: number, place: number): number => (2 * k * (place - k)) / variance;
  const greatestAt = (place: number): number => Math.max(1, Math.round(place / 2));
  /** Σ P(k)·cₖ over e^loss. From the greatest on, all are alike. */
  const hidden = (place: number, loss: number): number => {
    const greatest = greatestAt(place);
    let [sum, ratio] = [0, 0];
    for (let k = 1; k < chances.length; k++) {
      if (k <= greatest) ratio = Math.exp(logRatio(k, place) - loss);
      sum += (chances[k] ?? 0) * ratio;
    }
    return sum;
  };
  const shown = (place: number): number =>
    chances.reduce((sum, probability, k) => {
      const ratio = logRatio(Math.min(k, greatestAt(place)), place);
      return k === 0 ? sum : sum + probability * gaussianDelta(ratio, (2 * k) / deviation);
    }, 0);
  return above;
}

/** δ(ε) of two normal distributions whose means are so many standard deviations apart (Balle & Wang 2018, theorem 8). */
function gaussianDelta(epsilon: number, distance: number): number {
  const first = upperTail(epsilon / distance - distance / 2);
  // Without the second term it is larger.
  if (epsilon > GREATEST_EXPONENT) return first;
  return Math.max(0, first - Math.exp(epsilon) * upperTail(epsilon / distance + distance / 2));
}

/** The loss at a place: the logarithm of the two worlds' ratio there. It rises with the place. */
function lossAt(rate: number, deviation: number, place: number): number {
  const variance = 2 * deviation ** 2;
  return logOfMixture(rate, (2 * place - 1) / variance) - logOfMixture(rate, (-2 * place - 1) / variance);
}

/**
 * Where the loss has this value ℓ ≥ 0: with u = e^(x/σ²), e^ℓ = (1 − q + q·c·u) / (1 − q + q·c/u) for c = e^(−1/(2σ²)) is a quadratic equation, so
 * x = σ²·(ℓ/2 + asinh(h)) for h = sinh(ℓ/2)·(1 − q)/(q·c).
 */
function placeOfLoss(rate: number, deviation: number, loss: number): number {
  const logOfSinh = loss / 2 + Math.log1p(-Math.exp(-loss)) - Math.LN2;
  const log = Math.log(1 - rate) - Math.log(rate) + 1 / (2 * deviation ** 2) + logOfSinh;
  return deviation ** 2 * (loss / 2 + asinhOfExp(log));
}

/** asinh(e^log) without overflow. */
const asinhOfExp = (log: number): number =>
  log > 0 ? log + Math.log1p(Math.sqrt(1 + Math.exp(-2 * log))) : Math.asinh(Math.exp(log));

/**
 * The distribution on a grid whose δ(ε) agrees on the grid and is linear in e^ε between: never below the true one, as that is convex
 * ("connecting the dots", Doroshenko et al. 2022).
 * @param most beyond it, losses count as infinite.
 */
function discretised(curve: HockeyStick, width: number, most: number): LossDistribution {
  const above = Math.ceil(most / width);
  const below = -above;
  const count = above - below + 1;
  const heights = new Float64Array(count + 1);
  for (let i = 0; i <= above + 1; i++) {
    const loss = i * width;
    const height = curve(loss);
    // Of the worlds exchanged: δ(−ε) = 1 − e^−ε + e^−ε·δ(ε).
    if (i <= above) heights[above - i] = -Math.expm1(-loss) + Math.exp(-loss) * height;
    heights[above + i] = height;
  }
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

/** Grid points. */
interface GridRange {
  readonly lowest: number;
  readonly count: number;
}

/** Where the sum of `steps` losses is, but for the mass that may be cut off. */
function rangeOf(one: LossDistribution, steps: number): GridRange {
  const lowest = Math.floor(-chernoff(one, steps, -1) / one.width);
  const highest = Math.ceil(chernoff(one, steps, 1) / one.width);
  return { lowest, count: highest - lowest + 2 };
}

/** The mass of infinite losses in `steps` steps, with what is cut off or rounded. No noise makes it smaller. */
const infiniteOf = ({ infinite }: LossDistribution, steps: number): number =>
  -Math.expm1(steps * Math.log1p(-infinite)) + steps * ROUNDING + 2 * CUT;

/** The sum of `steps` independent losses. */
function composed(
  one: LossDistribution,
  steps: number,
  { lowest, count }: GridRange,
  infinite: number,
): LossDistribution {
  const length = 2 ** Math.ceil(Math.log2(count));
  const re = new Float64Array(length);
  const im = new Float64Array(length);
  const wrapped = (index: number): number => ((index % length) + length) % length;
  one.masses.forEach((mass, i) => {
    const to = wrapped(one.first + i);
    re[to] = (re[to] ?? 0) + mass;
  });
  fourierTransform(re, im, -1);
  // Of real numbers, the transform is symmetric.
  for (let i = 0; i <= length / 2; i++) {
    const size = Math.hypot(re[i] ?? 0, im[i] ?? 0) ** steps;
    const angle = Math.atan2(im[i] ?? 0, re[i] ?? 0) * steps;
    const opposite = (length - i) % length;
    re[opposite] = size * Math.cos(angle);
    im[opposite] = -size * Math.sin(angle);
    re[i] = re[opposite] ?? 0;
    im[i] = -(im[opposite] ?? 0);
  }
  fourierTransform(re, im, 1);
  const masses = Float64Array.from({ length }, (_, i) =>
    Math.max(0, (re[wrapped(lowest + i)] ?? 0) / length),
  );
  return { width: one.width, first: lowest, masses, infinite };
}

/** A bound that the sum (times `side`) exceeds with a probability of at most CUT: min over t of (steps·ln E[e^(tL)] + ln(1/CUT))/t. */
function chernoff({ width, first, masses }: LossDistribution, steps: number, side: 1 | -1): number {
  const logs = masses.map((mass) => (mass === 0 ? -Infinity : Math.log(mass)));
  let best = Infinity;
  for (let t = 2 ** -10; t <= 2 ** 16; t *= 2) {
    const all = logs.map((log, i) => t * side * (first + i) * width + log);
    const bound = (steps * logOfSum(all) - Math.log(CUT)) / t;
    // ln E[e^(tL)] is convex, so the bound falls up to the best t, and then rises.
    if (bound > best) break;
    best = bound;
  }
  return best;
}

/** The least ε ≥ 0 with Σ_{ℓ > ε} P[ℓ]·(1 − e^(ε − ℓ)) + infinite ≤ δ, for `infinite` ≤ δ; NaN if a mass is. */
function epsilonAt({ width, first, masses, infinite }: LossDistribution, delta: number): number {
  // From above: `mass` and `scaled` = Σ P[ℓ]·e^(loss − ℓ) over the losses above; between two grid points δ is mass − e^(ε − loss)·scaled.
  let [mass, scaled] = [infinite, 0];
  const least = Math.max(0, -first);
  for (let i = masses.length - 1; i >= least; i--) {
    const loss = (first + i) * width;
    if (mass - scaled > delta) return Math.max(0, loss + Math.log((mass - delta) / scaled));
    mass += masses[i] ?? 0;
    scaled = (scaled + (masses[i] ?? 0)) * Math.exp(-width);
  }
  const end = (first + least - 1) * width;
  return mass - Math.exp(-end) * scaled <= delta ? 0 : end + Math.log((mass - delta) / scaled);
}
