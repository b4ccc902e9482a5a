import { within } from '../../../numeric/extremes';
import type { Interval } from '../intervals/interval';
import { normalQuantile } from '../intervals/normal';
import { scaled, type Estimate } from './response-estimate';

export interface PartialRate {
  readonly sources: number;
  readonly estimate: Estimate;
}

/** The rate over these sources together. What is possible is set, because weights need not add up to exactly 1. */
export function rateOf(parts: readonly PartialRate[], level: number): Estimate {
  const all = parts.reduce((sum, { sources }) => sum + sources, 0);
  const weighted = parts.map(({ sources, estimate }) => scaled(estimate, sources / all));
  return sumOf(weighted, level, [0, 1]);
}

/**
 * Estimates of separate sources together.
 * @param bounds what sums are possible; by default the sums of what is possible for the parts.
 */
export function sumOf(parts: readonly Estimate[], level: number, bounds?: Interval): Estimate {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const sum = (of: (part: Estimate) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const estimate = sum((part) => part.estimate);
  const possible = bounds ?? [sum((part) => part.possible[0]), sum((part) => part.possible[1])];
  return {
    observed: sum(({ observed }) => observed),
    noise: sum(({ noise }) => noise),
    estimate,
    variance: sum(({ variance }) => variance),
    noiseVariance: sum(({ noiseVariance }) => noiseVariance),
    possible,
    interval: jointInterval(parts, within(possible, estimate), possible, level),
  };
}

/**
 * How far the parts' intervals reach to either side adds up as standard errors do (MOVER: Zou & Donner 2008), so that it may be lopsided. An
 * interval that ends where nothing is possible any more says too little about its reach, so none counts as less than that of a normal number. If the
 * parts share the share of lost reports, its error moves all of them to the same side, so this part of their reach adds up as it is.
 */
function jointInterval(
  parts: readonly Estimate[],
  estimate: number,
  possible: Interval,
  level: number,
): Interval {
  const z = normalQuantile((1 + level) / 2);
  // The parts' intervals are about what is possible for them: an estimate beyond that moves no end inwards.
  const moved = parts.reduce((sum, part) => sum + within(part.possible, part.estimate), 0);
  const reach = (side: 0 | 1, of: (part: Estimate, estimate: number) => number): number => {
    const shared = parts.map((part) => part.shared?.[side] ?? 0);
    const own = parts.map((part, index) => {
      const whole = of(part, within(part.possible, part.estimate));
      const rest = Math.sqrt(Math.max(whole ** 2 - (shared[index] ?? 0) ** 2, 0));
      return Math.max(z * Math.sqrt(greatestVariance(part)), rest);
    });
    return Math.hypot(
      ...own,
      shared.reduce((sum, part) => sum + part, 0),
    );
  };
  return [
    within(possible, Math.min(estimate, moved) - reach(0, ({ interval }, own) => own - interval[0])),
    within(possible, Math.max(estimate, moved) + reach(1, ({ interval }, own) => interval[1] - own)),
  ];
}

/** A single source does not show how sources differ, but they differ by no more than is possible. */
function greatestVariance({ variance, noiseVariance, possible: [least, most] }: Estimate): number {
  return variance === Infinity ? noiseVariance + (most - least) ** 2 : variance;
}
