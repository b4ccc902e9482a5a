import { discreteLaplace } from '../noise/discrete-laplace';
import { epsilonParameter } from '../../src/privacy/parameters';
import { Rational, type Exact } from '../../src/privacy/rational';
import type { RandomSource } from '../../src/privacy/random-source';
import { normalQuantile } from '../estimate/intervals/normal';
import { discreteLaplaceVariance } from '../histograms/variances';
import { halfWidth } from '../estimate/intervals/half-width';
import { frequencies, type Slice } from './impressions';
import { noisyShare, productOf, type ReachEstimate } from './share-interval';
import { peopleByFilled, Sketch } from './sketch';

/** A number of people, and its share of those whom the campaign reached; null: of all of them, or not known. */
export interface Frequency extends ReachEstimate {
  readonly share: ReachEstimate | null;
}

/** How many people had from `from` to `to` impressions; `to` = `most` means so many or more. */
export type FrequencyEstimate = (from: number, to: number) => Frequency;

/** What all estimates of a run have in common. Neighbours differ in one person, with all that the person saw. */
export interface ReachOptions {
  /** Impressions beyond so many of a person are not counted. */
  readonly most: number;
  /** In how many slices a person counts. */
  readonly cap: number;
  readonly epsilon: Exact;
  readonly level: number;
  /** How many registers a sketch has. */
  readonly registers: number;
  /** Who has the same key puts the same person into the same register. */
  readonly key: string;
}

/** What happened. */
export function exactFrequencies(slice: Slice, most: number): FrequencyEstimate {
  const counts = frequencies(slice, most);
  return (from, to) => {
    const [estimate, all] = [total(counts, from, to), total(counts, 1, most)];
    const share = estimate / all;
    const isPart = to - from < most - 1 && all > 0;
    return {
      estimate,
      interval: [estimate, estimate],
      share: isPart ? { estimate: share, interval: [share, share] } : null,
    };
  };
}

/**
 * Counts people by their impressions, with noise on each count. A person is in one count of each slice, and so changes all counts together
 * by at most `cap`: scale `cap`/ε makes them ε-private.
 * @throws ParameterError unless ε is greater than 0 and finite.
 */
export function laplaceFrequencies({
  most,
  cap,
  epsilon,
  level,
}: ReachOptions): (slice: Slice, random: RandomSource) => FrequencyEstimate {
  const scale = Rational.of(cap).over(epsilonParameter(epsilon));
  const noise = discreteLaplace(scale);
  const widths = Array.from({ length: most }, (_, index) =>
    halfWidth(level, { variance: 0, scale: scale.toNumber(), terms: index + 1 }),
  );
  return (slice, random) => {
    const counts = frequencies(slice, most).map((count) => count + Number(noise(random)));
    const widthOf = (terms: number): number => (terms === 0 ? 0 : (widths[terms - 1] ?? NaN));
    const all = total(counts, 1, most);
    return (from, to) => {
      const [part, cells] = [total(counts, from, to), to - from + 1];
      // How far an error of the part moves the share, and one of the rest (delta method).
      const share = Math.max(0, Math.min(1, part / all));
      const width = Math.hypot((1 - share) * widthOf(cells), share * widthOf(most - cells)) / all;
      return {
        ...around(part, widthOf(cells)),
        share: cells === most ? null : all > LEAST_WIDTHS * widthOf(most) ? shareOf(share, width) : null,
      };
    };
  };
}

/** Unless noise is small beside all people, nothing is known of a share of them. */
const LEAST_WIDTHS = 2;

const shareOf = (share: number, width: number): ReachEstimate => ({
  estimate: share,
  interval: [Math.max(0, share - width), Math.min(1, share + width)],
});

const total = (counts: readonly number[], from: number, to: number): number =>
  counts.slice(from - 1, to).reduce((sum, count) => sum + count, 0);

/**
 * A number below 0 is noise, and counts as nobody (Mandelkern & Schultz 2000): otherwise its interval would be the shorter the less likely it is.
 */
function around(found: number, width: number): ReachEstimate {
  const estimate = Math.max(0, found);
  return { estimate, interval: [Math.max(0, estimate - width), estimate + width] };
}

/**
 * Merges a sketch of each publisher, and adds noise to how many registers are filled and to how many of those with one person have how many
 * impressions. A person is in one register of each slice. There the person makes an empty register filled, or takes one away from those with
 * one person. So either changes by at most `cap`, and each has half of ε.
 */
export function sketchFrequencies(
  options: ReachOptions,
): (slice: Slice, random: RandomSource) => FrequencyEstimate {
  const { most, cap, epsilon, level, registers } = options;
  const scale = Rational.of(2 * cap).over(epsilonParameter(epsilon));
  const noise = discreteLaplace(scale);
  const size = scale.toNumber();
  const noiseVariance = discreteLaplaceVariance(size);
  const peopleFor = peopleByFilled(registers);
  const quantile = normalQuantile((1 + level) / 2);
  return (slice, random) => {
    const sketch = merged(slice, options);
    const filled = sketch.filled + Number(noise(random));
    const singles = sketch.frequencies(most).map((count) => count + Number(noise(random)));
    const { people, variance, singles: singlesOf } = peopleFor(filled);
    const width = halfWidth(level, { variance, scale: size, terms: 1 });
    const [low, high] = [peopleFor(filled - width).people, peopleFor(filled + width).people];
    if (most === 1) return () => ({ estimate: people, interval: [low, high], share: null });
    const all = total(singles, 1, most);
    const isKnown = all > LEAST_WIDTHS * quantile * Math.sqrt(noiseVariance * most);
    const reach: ReachEstimate = { estimate: people, interval: [low, high] };
    return (from, to) => {
      const cells = to - from + 1;
      if (cells === most) return { ...reach, share: null };
      const part = total(singles, from, to);
      const share = noisyShare(
        {
          part,
          rest: all - part,
          partNoise: cells * noiseVariance,
          restNoise: (most - cells) * noiseVariance,
          drawn: singlesOf < people ? singlesOf * (1 - singlesOf / people) : 0,
        },
        quantile,
      );
      return { ...productOf(share, reach), share: isKnown ? share : null };
    };
  };
}

/** Each publisher knows only its own people; who merges sees only the sketches. */
function merged({ publishers }: Slice, { registers, key }: ReachOptions): Sketch {
  const all = new Sketch(registers, key);
  for (const people of publishers.values()) {
    const own = new Sketch(registers, key);
    for (const [person, impressions] of people) own.add(person, impressions);
    all.merge(own);
  }
  return all;
}
