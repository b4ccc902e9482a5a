import { seededRandomSource, type RandomSource } from '../../src/privacy/random-source';
import { uniformBelow } from '../../src/privacy/uniform';
import type { ResponseLikelihood } from './estimator';
import type { Interval } from './interval';
import { normalQuantile } from './normal';
import { Support } from './output-model';
import { poolGroups, type GroupTruth, type Pooled } from './partial-pooling';
import type { Measure } from './quantities';
import type { EstimateOptions } from './response-estimate';
import type { ResponseModel } from './response-model';
import { withParents, type GroupTally } from './tally';

/** An estimate by maximum likelihood: possible, biased, and with a smaller error than the unbiased one if the model fits. */
export interface LikelyEstimate {
  readonly estimate: number;
  readonly interval: Interval;
}

export interface Likelihood {
  /** Whether the observed outputs are as near to the model as outputs drawn from it. If not, use the unbiased estimates. */
  readonly fits: boolean;
  /** By group, and by measure. */
  readonly estimates: readonly (readonly LikelyEstimate[])[];
}

export const MISFIT_WORDS =
  'the reports do not fit the model of maximum likelihood, in which the reports of one source fall into trigger data and windows independently of each other. Use the unbiased estimates.';

/** With this many standard deviations, fewer than one in a million samples of the model would be rejected if distances were normal. */
const MOST_DEVIATIONS = 5;

/**
 * Estimates by maximum likelihood (docs/estimates.md, "Maximum likelihood").
 * @param groups with their larger groups, which come first, as `withParents` gives them.
 * @param measures what to estimate of each group.
 */
export function likelihoodOf(
  { response, measures }: ResponseLikelihood,
  groups: readonly GroupTally[],
  options: EstimateOptions,
): Likelihood {
  const support = new Support((output) => response.composition(output));
  const pooled = poolGroups(support, response, groups);
  const values = new Values(support, measures);
  const found = values.of(pooled.groups);
  const squares = new Values(support, measures.map(squared)).of(pooled.groups);
  const errors = bootstrap(support, response, pooled, values);
  const reach = normalQuantile((1 + options.level) / 2);
  return {
    fits: !(errors.deviations(distance(pooled)) > MOST_DEVIATIONS),
    estimates: pooled.groups.map(({ sources }, group) =>
      measures.map((measure, index): LikelyEstimate => {
        const sum = found[group]?.[index] ?? 0;
        const sampling = (squares[group]?.[index] ?? 0) - sum ** 2 / sources;
        const variance =
          (errors.squares[group]?.[index] ?? 0) +
          (options.randomness === 'noise' ? 0 : Math.max(sampling, 0));
        const error = reach * Math.sqrt(variance);
        const [least, most] = rangeOf(measure);
        const per = measure.quantity.kind === 'conversion-rate' ? sources : 1;
        return {
          estimate: sum / per,
          interval: [
            Math.max(sum - error, least * sources) / per,
            Math.min(sum + error, most * sources) / per,
          ],
        };
      }),
    ),
  };
}

const squared = (measure: Measure): Measure => ({ ...measure, adds: (output) => measure.adds(output) ** 2 });

const rangeOf = ({ shares }: Measure): Interval =>
  shares === null ? [0, Infinity] : [Math.min(...shares.keys()), Math.max(...shares.keys())];

/** Pearson's statistic. Outputs that were not observed add the number of sources that they should have. */
const distance = ({ whole, groups: [all] }: Pooled): number =>
  whole.squares / (all?.sources ?? 1) - (all?.sources ?? 0);

/** Sums of measures over estimated or known truths. */
class Values {
  private readonly added = new Map<Measure, number[]>();

  constructor(
    private readonly support: Support,
    readonly measures: readonly Measure[],
  ) {}

  of(truths: readonly Pick<GroupTruth, 'own' | 'shared' | 'base'>[]): readonly (readonly number[])[] {
    // The parts of one larger group have the same base.
    const bases = new Map<readonly number[], readonly number[]>();
    return truths.map(({ own, shared, base }) => {
      const ofBase = bases.get(base) ?? this.sums(base.keys(), base);
      bases.set(base, ofBase);
      return this.sums(own.outputs, own.counts).map((sum, index) => sum + shared * (ofBase[index] ?? 0));
    });
  }

  private sums(outputs: Iterable<number>, counts: readonly number[]): readonly number[] {
    const places = [...outputs];
    return this.measures.map((measure) => {
      const adds = this.adds(measure);
      return places.reduce((sum, output, index) => sum + (counts[index] ?? 0) * (adds[output] ?? 0), 0);
    });
  }

  /** What each output of the support adds. */
  private adds(measure: Measure): readonly number[] {
    let added = this.added.get(measure);
    if (added === undefined) this.added.set(measure, (added = []));
    for (let output = added.length; output < this.support.outputs.length; output++)
      added.push(measure.adds(this.support.outputs[output] ?? ''));
    return added;
  }
}

interface Errors {
  /** The mean squared error of each estimate. */
  readonly squares: readonly (readonly number[])[];
  /** By how many standard deviations a distance exceeds the mean distance of samples of the model. */
  deviations(distance: number): number;
}

const MOST_REPLICATES = 60;
const LEAST_REPLICATES = 40;
const DRAWS = 2_000_000;

/** Draws truths and outputs from the fitted model (Efron & Tibshirani 1993, parametric bootstrap), and estimates again from them. */
function bootstrap(support: Support, response: ResponseModel, pooled: Pooled, values: Values): Errors {
  const sources = pooled.groups[0]?.sources ?? 0;
  const replicates = Math.min(Math.max(Math.round(DRAWS / sources), LEAST_REPLICATES), MOST_REPLICATES);
  const depth = Math.max(...pooled.groups.map(({ group }) => group.length));
  const smallest = pooled.groups.filter(({ group }) => group.length === depth);
  const samplers = smallest.map((truth) => samplerOf(truth));
  const squares = pooled.groups.map(() => values.measures.map(() => 0));
  const distances: number[] = [];
  for (let replicate = 0; replicate < replicates; replicate++) {
    const random = seededRandomSource('bootstrap', replicate);
    const drawn = smallest.map(({ group, sources }, index) => {
      const truths = new Map<string, number>();
      const tally = new Map<string, number>();
      for (const output of samplers[index]?.(random, sources) ?? []) {
        const truth = support.outputs[output] ?? '';
        count(truths, truth);
        const isKept = unit(random) < response.keep;
        count(tally, isKept ? truth : response.outputAt(uniformBelow(random, response.outputs)));
      }
      return { group, tally, truths };
    });
    const again = poolGroups(support, response, withParents(drawn));
    distances.push(distance(again));
    const estimated = values.of(again.groups);
    const known = values.of(
      withParents(drawn.map(({ group, truths }) => ({ group, tally: truths }))).map(({ tally }) => ({
        own: support.countsOf(tally),
        shared: 0,
        base: [],
      })),
    );
    squares.forEach((own, group) =>
      own.forEach((total, index) => {
        const error = (estimated[group]?.[index] ?? 0) - (known[group]?.[index] ?? 0);
        own[index] = total + error ** 2 / replicates;
      }),
    );
  }
  const mean = distances.reduce((a, b) => a + b, 0) / replicates;
  const variance = distances.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (replicates - 1);
  return { squares, deviations: (distance) => (distance - mean) / Math.sqrt(variance) };
}

const count = (tally: Map<string, number>, key: string): void =>
  void tally.set(key, (tally.get(key) ?? 0) + 1);

/**
 * Draws the truths of a group's sources. The group's distribution is itself uncertain, which Pólya's urn imitates: each truth is drawn
 * from the estimate, or repeats an earlier one.
 */
function samplerOf({
  own,
  shared,
  base,
  certainty,
  sources,
}: GroupTruth): (random: RandomSource, draws: number) => readonly number[] {
  const ownSums = runningSums(own.counts);
  const baseSums = runningSums(base);
  const ownTotal = ownSums.at(-1) ?? 0;
  const fresh = (random: RandomSource): number => {
    const place = unit(random) * sources;
    return place < ownTotal || shared === 0
      ? (own.outputs[firstAbove(ownSums, place)] ?? 0)
      : firstAbove(baseSums, (place - ownTotal) / shared);
  };
  return (random, draws) => {
    const truths: number[] = [];
    for (let draw = 0; draw < draws; draw++) {
      const isFresh = certainty === Infinity || unit(random) * (certainty + draw) < certainty;
      truths.push(isFresh ? fresh(random) : (truths[Math.floor(unit(random) * draw)] ?? 0));
    }
    return truths;
  };
}

function runningSums(values: readonly number[]): readonly number[] {
  let running = 0;
  return values.map((value) => (running += value));
}

/** The first position whose sum is above the place; the last if none is. */
function firstAbove(sums: readonly number[], place: number): number {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Uniform between 0 and 1. */
const unit = (random: RandomSource): number => Number(random.uint64() >> 11n) / 2 ** 53;
