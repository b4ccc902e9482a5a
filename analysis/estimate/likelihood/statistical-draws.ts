import { seededRandomSource } from '../../random/sources';
import { sum } from './output-model';

/* Draws for intervals and tests of fit. They protect nobody, so they use fast doubles and fixed seeds. */

/** Uniform numbers between 0 and 1. */
export type Uniform = () => number;

/** The generator sfc32 (Doty-Humphrey, PractRand), whose state is from the seed's stream. */
export function seededUniform(seed: string, stream: number): Uniform {
  const random = seededRandomSource(seed, stream);
  const word = (): number => Number(random.uint64() & 0xffff_ffffn) | 0;
  let a = word();
  let b = word();
  let c = word();
  let counter = 1;
  return () => {
    const next = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + next) | 0;
    return ((next >>> 0) + 0.5) / 2 ** 32;
  };
}

const normal = (uniform: Uniform): number =>
  Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());

/** Independent standard normal numbers: two from each radius (Box & Muller 1958). */
export function drawNormals(uniform: Uniform, into: Float64Array): void {
  for (let place = 0; place < into.length; place += 2) {
    const radius = Math.sqrt(-2 * Math.log(uniform()));
    const angle = 2 * Math.PI * uniform();
    into[place] = radius * Math.cos(angle);
    if (place + 1 < into.length) into[place + 1] = radius * Math.sin(angle);
  }
}

/** A gamma variate of scale 1 (Marsaglia & Tsang 2000). @param shape at least 0; 0 gives 0. */
export function gamma(uniform: Uniform, shape: number): number {
  if (shape === 0) return 0;
  if (shape < 1) return gamma(uniform, shape + 1) * uniform() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(uniform);
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    const chance = uniform();
    const square = x * x;
    // Nearly always accepts what the logarithms would accept, without them.
    if (chance < 1 - 0.0331 * square * square) return d * v;
    if (Math.log(chance) < square / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Above this variance, a binomial number is a rounded normal one. */
const NORMAL_FROM = 100;
/** With fewer expected successes, counting the failures between them is as fast as any other way. */
const COUNTED_BELOW = 10;

/** How many of `trials` succeed. @param chance of success, from 0 to 1. */
export function binomial(uniform: Uniform, trials: number, chance: number): number {
  if (chance > 0.5) return trials - binomial(uniform, trials, 1 - chance);
  if (trials === 0 || chance <= 0) return 0;
  if (trials === 1) return one(uniform, chance);
  const variance = trials * chance * (1 - chance);
  if (variance > NORMAL_FROM) {
    const drawn = Math.round(trials * chance + Math.sqrt(variance) * normal(uniform));
    return Math.min(Math.max(drawn, 0), trials);
  }
  if (trials * chance >= COUNTED_BELOW) return byRejection(uniform, trials, chance);
  const perTrial = Math.log1p(-chance);
  let successes = 0;
  for (let place = skip(uniform, perTrial); place < trials; place += 1 + skip(uniform, perTrial))
    successes += 1;
  return successes;
}

/** The transformed rejection of Hörmann (1993, "BTRS"). @param chance at most a half, with at least ten expected successes */
function byRejection(uniform: Uniform, trials: number, chance: number): number {
  const deviation = Math.sqrt(trials * chance * (1 - chance));
  const b = 1.15 + 2.53 * deviation;
  const a = -0.0873 + 0.0248 * b + 0.01 * chance;
  const centre = trials * chance + 0.5;
  const squeeze = 0.92 - 4.2 / b;
  for (;;) {
    const u = uniform() - 0.5;
    const v = uniform();
    const inside = 0.5 - Math.abs(u);
    const drawn = Math.floor(((2 * a) / inside + b) * u + centre);
    if (inside >= 0.07 && v <= squeeze) return drawn;
    if (drawn < 0 || drawn > trials) continue;
    const scaled = (v * (2.83 + 5.1 / b) * deviation) / (a / inside ** 2 + b);
    if (Math.log(scaled) <= overMode(trials, chance, drawn)) return drawn;
  }
}

/** The logarithm of the probability of so many successes, less that of the likeliest number. */
function overMode(trials: number, chance: number, successes: number): number {
  const mode = Math.floor((trials + 1) * chance);
  const odds = chance / (1 - chance);
  return (
    (mode + 0.5) * Math.log((mode + 1) / (odds * (trials - mode + 1))) +
    (trials + 1) * Math.log((trials - mode + 1) / (trials - successes + 1)) +
    (successes + 0.5) * Math.log((odds * (trials - successes + 1)) / (successes + 1)) +
    stirlingRest(mode) +
    stirlingRest(trials - mode) -
    stirlingRest(successes) -
    stirlingRest(trials - successes)
  );
}

/** What Stirling's formula lacks of the logarithm of n!, in the form of `overMode`: log n! − ((n + ½)·log(n + 1) − (n + 1) + ½·log 2π). */
function stirlingRest(n: number): number {
  if (n >= EXACT_RESTS.length) {
    const square = (n + 1) ** 2;
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (n + 1);
  }
  return EXACT_RESTS[n] ?? NaN;
}

/** For small n, where the series is not exact enough. */
const EXACT_RESTS: readonly number[] = (() => {
  let logFactorial = 0;
  return Array.from({ length: 10 }, (_, n) => {
    if (n > 0) logFactorial += Math.log(n);
    return logFactorial - ((n + 0.5) * Math.log(n + 1) - (n + 1) + Math.log(2 * Math.PI) / 2);
  });
})();

/** The same with one trial, without logarithms. After a success the number beyond is drawn as well, as above, for the same numbers to follow. */
function one(uniform: Uniform, chance: number): number {
  if (uniform() <= 1 - chance) return 0;
  uniform();
  return 1;
}

const skip = (uniform: Uniform, perTrial: number): number => Math.floor(Math.log(uniform()) / perTrial);

/** How many of `draws` fall on each place. @param weights at least 0, not all 0. @param parts where the numbers are written. */
export function multinomial(
  uniform: Uniform,
  draws: number,
  weights: readonly number[],
  parts = new Array<number>(weights.length),
): number[] {
  let left = draws;
  let rest = sum(weights);
  for (let place = 0; place < weights.length; place++) {
    const weight = weights[place] ?? 0;
    const drawn = rest > 0 ? binomial(uniform, left, Math.min(weight / rest, 1)) : 0;
    left -= drawn;
    rest -= weight;
    parts[place] = drawn;
  }
  return parts;
}
