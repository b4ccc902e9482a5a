import { seededRandomSource } from '../random/sources';
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

/** A gamma variate of scale 1 (Marsaglia & Tsang 2000). @param shape at least 0; 0 gives 0. */
export function gamma(uniform: Uniform, shape: number): number {
  if (shape === 0) return 0;
  if (shape < 1) return gamma(uniform, shape + 1) * uniform() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal(uniform);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(uniform()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Above this variance, a binomial number is a rounded normal one. */
const NORMAL_FROM = 100;

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
  // Counts failures between successes.
  const perTrial = Math.log1p(-chance);
  let successes = 0;
  for (let place = skip(uniform, perTrial); place < trials; place += 1 + skip(uniform, perTrial))
    successes += 1;
  return successes;
}

/** The same with one trial, without logarithms. After a success the number beyond is drawn as well, as above, for the same numbers to follow. */
function one(uniform: Uniform, chance: number): number {
  if (uniform() <= 1 - chance) return 0;
  uniform();
  return 1;
}

const skip = (uniform: Uniform, perTrial: number): number => Math.floor(Math.log(uniform()) / perTrial);

/** How many of `draws` fall on each place. @param weights at least 0, not all 0. */
export function multinomial(uniform: Uniform, draws: number, weights: readonly number[]): number[] {
  let left = draws;
  let rest = sum(weights);
  const parts = new Array<number>(weights.length);
  for (let place = 0; place < weights.length; place++) {
    const weight = weights[place] ?? 0;
    const drawn = rest > 0 ? binomial(uniform, left, Math.min(weight / rest, 1)) : 0;
    left -= drawn;
    rest -= weight;
    parts[place] = drawn;
  }
  return parts;
}
