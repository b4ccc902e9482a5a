import type { Interval } from '../estimate/intervals/interval';

export interface ReachEstimate {
  readonly estimate: number;
  readonly interval: Interval;
}

/** A part and the rest of people who were drawn, each counted with noise. */
export interface NoisyParts {
  readonly part: number;
  readonly rest: number;
  /** The variances of their noise. */
  readonly partNoise: number;
  readonly restNoise: number;
  /** How many people were drawn, less those that cannot vary because nearly everybody was. */
  readonly drawn: number;
}

/**
 * The share of all people that the part has. For the true share s, part·(1 − s) − rest·s has the mean 0, so the interval has each s for which this is
 * not farther from 0 than `quantile` standard deviations (Fieller 1954). It needs no division by the noisy number of all, so it holds for few people, too.
 * Neither number counts less than nobody.
 */
export function noisyShare(
  { part: noisyPart, rest: noisyRest, partNoise, restNoise, drawn }: NoisyParts,
  quantile: number,
): ReachEstimate {
  const [part, rest] = [Math.max(0, noisyPart), Math.max(0, noisyRest)];
  const all = part + rest;
  const estimate = all > 0 ? part / all : 0;
  const square = quantile ** 2;
  // all²·s² − 2·part·all·s + part² ≤ square·(drawn·s·(1 − s) + partNoise·(1 − s)² + restNoise·s²)
  const a = all ** 2 + square * (drawn - partNoise - restNoise);
  const b = -2 * part * all - square * (drawn - 2 * partNoise);
  const c = part ** 2 - square * partNoise;
  const holds = (share: number): boolean => a * share ** 2 + b * share + c <= 0;
  const discriminant = b ** 2 - 4 * a * c;
  const roots =
    discriminant < 0 || a === 0 ? [] : [-1, 1].map((sign) => (-b + sign * Math.sqrt(discriminant)) / (2 * a));
  const found = [...[0, 1].filter(holds), ...roots.filter((root) => root > 0 && root < 1)];
  return {
    estimate,
    interval: [
      found.reduce((end, share) => Math.min(end, share), estimate),
      found.reduce((end, share) => Math.max(end, share), estimate),
    ],
  };
}

/**
 * The product of two estimates that do not depend on each other, with the interval that follows from both (Donner & Zou 2012): as far as the ends of the
 * single ones, combined.
 */
export function productOf(one: ReachEstimate, other: ReachEstimate): ReachEstimate {
  const estimate = one.estimate * other.estimate;
  const reach = (end: 0 | 1, sign: 1 | -1): number => {
    const [own, its] = [one, other].map(({ estimate, interval }) => Math.abs(interval[end] - estimate)) as [
      number,
      number,
    ];
    const squares = (other.estimate * own) ** 2 + (one.estimate * its) ** 2 + sign * (own * its) ** 2;
    return Math.sqrt(Math.max(0, squares));
  };
  const interval: Interval = [Math.max(0, estimate - reach(0, -1)), estimate + reach(1, 1)];
  return { estimate, interval };
}
