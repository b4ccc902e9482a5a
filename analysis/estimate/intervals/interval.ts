import { greatest as greatestOf, least as leastOf, within } from '../../../numeric/extremes';
import { OddTurns, type Channel } from './channel';
import { likelyTruths, tilting, wholeCounts } from './likely-truths';
import { normalQuantile } from './normal';

/** What counts as random: only the noise, given the truth; or also which sources were observed. */
export type Randomness = 'noise' | 'noise-and-sampling';

/** Both ends are included. */
export type Interval = readonly [low: number, high: number];

/** The share of the range of possible numbers that drawn intervals may leave out at its ends, although they rule out nothing. */
const NOTHING = 1e-9;

/** Whether every possible number is in the interval, because too few sources are known. With one possible number, nothing has to be ruled out. */
export function isEverything([low, high]: Interval, [least, most]: Interval): boolean {
  const slack = Number.isFinite(most - least) ? NOTHING * (most - least) : 0;
  return least < most && low <= least + slack && most - slack <= high;
}

/** A total over sources, observed through a channel. */
export interface Observation {
  readonly channel: Channel;
  /** How many sources gave each class of outputs. */
  readonly observed: readonly number[];
  readonly estimate: number;
  readonly standardError: number;
  readonly randomness: Randomness;
}

/** The step of a computed distribution is one over this many standard deviations. */
const RESOLUTION = 16;
/** The period extends this many standard deviations beyond the distribution. */
const REACH = 10;
/** The period also leaves room for this many of the largest jumps that one source can cause. */
const JUMPS = 6;
const MAX_POINTS = 2 ** 14;
/** Chances nearer to 0 or 1 do not say where the total is. */
const CERTAIN = 1e-9;
/** Parts of the sum below e to this power change no digit of a double. */
const NEGLIGIBLE = -40;
/** By so much of a step, an end that was guessed from two chances may be off. */
const UNSURE = 0.1;
/** So often at most, a guess is improved before the search. */
const IMPROVED = 4;

/**
 * A confidence interval for the sum of the truths: all totals that a two-sided test does not reject at the level. Each tail counts half of
 * the observed point (the mid-P test: Lancaster 1961; Agresti & Gottard 2007). Tail probabilities come from the distribution of the
 * observed total by Fourier inversion, not from a normal approximation. With very little noise the interval shrinks to a point, and near
 * zero it stays within the possible range. For a quantity that is 0 or 1, the total determines that distribution. For others, the likely
 * distribution of the truths is tilted to the total (docs/estimate-methods.md).
 */
export function midPInterval(observation: Observation, level: number): Interval {
  const { channel, observed, estimate, standardError, randomness } = observation;
  const sources = observed.reduce((a, b) => a + b, 0);
  const total = possibleTotal(
    channel,
    sources,
    channel.outputs.reduce((sum, value, index) => sum + value * (observed[index] ?? 0), 0),
  );
  if (standardError === 0 && randomness === 'noise') return [total, total];
  const tail = (1 - level) / 2;
  const truths = likelyTruths(channel, observed);
  const lattice = latticeOf([...channel.outputs, ...channel.truths]);
  const turns = new OddTurns(channel.outputs);
  const tilt = tilting(truths, channel.truths);
  const known = new Map<number, number>();
  const above = (sum: number): number => {
    let chance = known.get(sum);
    if (chance === undefined) {
      const shares = tilt(sum / sources);
      chance =
        randomness === 'noise'
          ? aboveGiven(channel, wholeCounts(shares, sources), sum, total, lattice)
          : aboveSampled(channel, { shares, sources, turns }, total, lattice);
      known.set(sum, chance);
    }
    return chance;
  };
  // If only the noise is random, sums of whole numbers are whole; an expected sum need not be.
  const [smallest, largest] = [leastOf(channel.truths), greatestOf(channel.truths)];
  const [least, greatest] = [smallest * sources, largest * sources];
  // Known within what all sources together can add, also of a single source.
  const spread = Number.isFinite(standardError) ? standardError : greatest - least;
  const step =
    randomness === 'noise' && lattice !== null
      ? lattice
      : Math.max(spread, (largest - smallest) / RESOLUTION) / (8 * RESOLUTION);
  const grid = { step, least, greatest };
  const z = normalQuantile(1 - tail);
  const end = (holds: (chance: number) => boolean, deviations: number): ReturnType<typeof firstSum> => {
    const { guess, beside } = guessed(deviations);
    return firstSum((sum) => (sum === beside ? sum > guess : holds(above(sum))), guess, grid);
  };
  /** What may be the end, and perhaps a sum beside it that is surely on the other side of it. */
  const guessed = (deviations: number): { readonly guess: number; readonly beside?: number } => {
    let guess = within([least, greatest], estimate + deviations * spread);
    // The distribution of whole numbers is not smooth.
    const isSmooth = randomness !== 'noise';
    if (isSmooth) guess = onGrid(guess, grid);
    let slope = 1 / spread;
    let before: { readonly guess: number; readonly quantile: number } | null = null;
    // The chance of a normal total says how far the guess is off, and two of them how fast it changes.
    for (let tried = 0; tried < IMPROVED; tried++) {
      const chance = above(guess);
      if (chance <= CERTAIN || chance >= 1 - CERTAIN) break;
      const quantile = normalQuantile(chance);
      const found = before === null ? slope : (quantile - before.quantile) / (guess - before.guess);
      if (found > slope / 4 && found < 4 * slope) slope = found;
      before = { guess, quantile };
      const better =
        tried === 0 && isSmooth
          ? estimate + reaching(deviations, spread, guess - estimate, quantile)
          : guess + (deviations - quantile) / slope;
      const next = within([least, greatest], better);
      if (!isSmooth) return { guess: next };
      guess = onGrid(next, grid);
      if (guess !== before.guess) continue;
      // The end is at most half a step away.
      const beside = onGrid(guess + Math.sign(next - guess) * step, grid);
      const isSure =
        tried > 0 && Math.abs(next - guess) > UNSURE * step && beside > least && beside < greatest;
      return isSure ? { guess, beside } : { guess };
    }
    return { guess };
  };
  const low = end((chance) => chance >= tail, -z);
  const high = end((chance) => chance > 1 - tail, z);
  // The last value before the first rejected one; `greatest` if none is rejected.
  return [low.sum, high.found && high.sum > low.sum ? Math.max(high.sum - step, low.sum) : high.sum];
}

/**
 * How far a sum is from the estimate if so many of its own standard deviations lie between, and if their square grows linearly with the sum. It is known for
 * the estimate itself, and follows for a sum from the distance and from how many standard deviations that is.
 */
function reaching(deviations: number, spread: number, distance: number, found: number): number {
  const growth = ((distance / found) ** 2 - spread ** 2) / distance;
  const half = (deviations ** 2 * growth) / 2;
  const reach = half + Math.sign(deviations) * Math.hypot(half, deviations * spread);
  return Number.isFinite(reach) ? reach : distance;
}

/**
 * What is beyond the means of all truths is noise, and counts as the nearest of these means (Mandelkern & Schultz 2000). Otherwise an observation that
 * no truth explains well would give the shortest interval: a point, or none.
 */
function possibleTotal({ moments }: Channel, sources: number, total: number): number {
  const means = moments.map(({ mean }) => mean * sources);
  return Math.min(Math.max(total, leastOf(means)), greatestOf(means));
}

interface Grid {
  readonly step: number;
  readonly least: number;
  readonly greatest: number;
}

const sumAt = (index: number, { step, least, greatest }: Grid): number =>
  Math.min(least + index * step, greatest);

const onGrid = (sum: number, grid: Grid): number => sumAt(Math.round((sum - grid.least) / grid.step), grid);

/** The first sum on the grid, from `least` on, that satisfies a monotone condition; `greatest` if none does. */
function firstSum(
  holds: (sum: number) => boolean,
  guess: number,
  grid: Grid,
): { readonly sum: number; readonly found: boolean } {
  const { step, least, greatest } = grid;
  const last = Math.ceil((greatest - least) / step - 1e-9);
  const holdsAt = (index: number): boolean => index > last || (index >= 0 && holds(sumAt(index, grid)));
  const start = Math.min(Math.max(Math.round((guess - least) / step), 0), last);
  // Doubles the distance from the guess until the change is inside the range.
  const direction = holdsAt(start) ? -1 : 1;
  let stride = 1;
  let near = start;
  let far = start + direction;
  while (holdsAt(far) === direction < 0 && far >= 0 && far <= last) {
    near = far;
    stride *= 2;
    far += direction * stride;
  }
  let [low, high] = direction < 0 ? [Math.max(far, -1), near] : [near, Math.min(far, last + 1)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holdsAt(middle)) high = middle;
    else low = middle;
  }
  return high > last ? { sum: greatest, found: false } : { sum: sumAt(high, grid), found: true };
}

/** The greatest common divisor of the values if they are whole numbers, else null. */
function latticeOf(values: readonly number[]): number | null {
  let divisor = 0;
  for (const value of values) {
    if (!Number.isSafeInteger(value)) return null;
    for (let rest = Math.abs(value); rest !== 0;) [divisor, rest] = [rest, divisor % rest];
  }
  return divisor === 0 ? 1 : divisor;
}

/** P[total above `observed`] + P[equal]/2, for sources whose truths should sum to `sum`. */
function aboveGiven(
  channel: Channel,
  counts: readonly number[],
  sum: number,
  observed: number,
  lattice: number | null,
): number {
  // Rounding to whole sources may miss the sum; subtracting the sum leaves the same noise.
  const missed = counts.reduce((rest, count, index) => rest - count * (channel.truths[index] ?? 0), sum);
  const at = observed - missed;
  const parts = new Float64Array(2 * channel.truths.length);
  return aboveBy(
    (theta) => {
      let logarithm = 0;
      let angle = -theta * at;
      channel.characteristic(theta, parts);
      if (isNegligible(parts, counts)) return 0;
      for (let index = 0; index < counts.length; index++) {
        const count = counts[index] ?? 0;
        if (count === 0) continue;
        const [re, im] = [parts[2 * index] ?? 0, parts[2 * index + 1] ?? 0];
        logarithm += (count / 2) * Math.log(re * re + im * im);
        angle += count * Math.atan2(im, re);
      }
      return logarithm < NEGLIGIBLE ? 0 : Math.exp(logarithm) * Math.sin(angle);
    },
    momentsOf(channel, counts, 'noise'),
    at,
    lattice,
  );
}

/** Whether a product of powers is surely beyond what changes a digit, without a logarithm: log a ≤ a − 1. */
function isNegligible(parts: Float64Array, counts: readonly number[]): boolean {
  let bound = 0;
  for (let index = 0; index < counts.length; index++) {
    const [re, im] = [parts[2 * index] ?? 0, parts[2 * index + 1] ?? 0];
    bound += ((counts[index] ?? 0) / 2) * (re * re + im * im - 1);
  }
  return bound < NEGLIGIBLE;
}

/** Like `aboveGiven`, for sources whose truths are drawn with these probabilities. */
function aboveSampled(
  channel: Channel,
  {
    shares,
    sources,
    turns,
  }: { readonly shares: readonly number[]; readonly sources: number; readonly turns: OddTurns },
  observed: number,
  lattice: number | null,
): number {
  const weights = channel.observable(shares);
  return aboveBy(
    (theta, unit) => {
      if (theta === unit) turns.begin(unit);
      turns.next();
      const { parts } = turns;
      let re = 0;
      let im = 0;
      for (let index = 0; index < weights.length; index++) {
        const weight = weights[index] ?? 0;
        re += weight * (parts[2 * index] ?? 0);
        im += weight * (parts[2 * index + 1] ?? 0);
      }
      const square = re * re + im * im;
      if ((sources / 2) * (square - 1) < NEGLIGIBLE) return 0;
      const logarithm = (sources / 2) * Math.log(square);
      if (logarithm < NEGLIGIBLE) return 0;
      return Math.exp(logarithm) * Math.sin(sources * Math.atan2(im, re) - theta * observed);
    },
    momentsOf(
      channel,
      shares.map((share) => share * sources),
      'noise-and-sampling',
    ),
    observed,
    lattice,
    (step) => negligibleFrom(channel.outputs, weights, sources, step),
  );
}

/**
 * From which frequency on the sum of so many values is surely negligible. The squared length of E[e^{iθv}] is at most 1 − 2·Σ w·w′·(1 − cos(θd)) over pairs
 * of values at a distance d, which shrinks up to θ = π/d.
 */
function negligibleFrom(
  values: readonly number[],
  weights: readonly number[],
  sources: number,
  step: number,
): number {
  let distance = Infinity;
  let pairs = 0;
  for (let index = 1; index < values.length; index++) {
    const own = Math.abs((values[index] ?? 0) - (values[index - 1] ?? 0));
    if (own === 0 || own > distance) continue;
    if (own < distance) pairs = 0;
    distance = own;
    pairs += (weights[index] ?? 0) * (weights[index - 1] ?? 0);
  }
  const cosine = 1 + NEGLIGIBLE / (sources * pairs);
  return distance <= step && cosine > -1 ? Math.acos(cosine) / distance : Infinity;
}

/** Mean and standard deviation of the total, and its largest change due to one source. */
function momentsOf(
  { moments, outputs }: Channel,
  counts: readonly number[],
  randomness: Randomness,
): { readonly mean: number; readonly deviation: number; readonly jump: number } {
  let mean = 0;
  let variance = 0;
  let sources = 0;
  let squares = 0;
  moments.forEach((own, index) => {
    const count = counts[index] ?? 0;
    variance += count * own.variance;
    mean += count * own.mean;
    squares += count * own.mean ** 2;
    sources += count;
  });
  if (randomness === 'noise-and-sampling') variance += Math.max(squares - mean ** 2 / sources, 0);
  return { mean, deviation: Math.sqrt(variance), jump: greatestOf(outputs) - leastOf(outputs) };
}

/**
 * P[X > x] + P[X = x]/2 = 1/2 + E[sgn(X − x)]/2, with the sign continued periodically over a range that contains X − x. On the lattice, its
 * Fourier series is a finite sum over odd frequencies. Without a lattice, a lattice with a step much smaller than the standard deviation
 * replaces it.
 * @param wave Im(E[e^{iθX}]·e^{−iθx}), which is asked for θ = 1, 3, 5 and so on times a unit.
 * @param end from which frequency on it is negligible, for a step of the lattice.
 */
function aboveBy(
  wave: (theta: number, unit: number) => number,
  { mean, deviation, jump }: ReturnType<typeof momentsOf>,
  x: number,
  lattice: number | null,
  end: (step: number) => number = () => Infinity,
): number {
  const away = (x - mean) / (deviation === 0 ? jump : deviation);
  // Far enough out that the answer is 0 or 1; computing it would need a long period.
  if (Math.abs(away) > 4 * REACH && Math.abs(x - mean) > JUMPS * jump) return away > 0 ? 0 : 1;
  const range = Math.abs(x - mean) + REACH * deviation + JUMPS * jump;
  const step = Math.max(lattice ?? 0, deviation / RESOLUTION, range / MAX_POINTS);
  const half = Math.ceil(range / step);
  const unit = Math.PI / half / step;
  const turns = new OddTurns([step / 2]);
  turns.begin(unit);
  let sum = 0;
  const last = Math.min(half, end(step) / unit);
  for (let odd = 1; odd < last; odd += 2) {
    turns.next();
    const own = wave(odd * unit, unit);
    if (own !== 0) sum += (own * (turns.parts[0] ?? 0)) / (turns.parts[1] ?? 0);
  }
  return Math.min(Math.max(0.5 + sum / half, 0), 1);
}
