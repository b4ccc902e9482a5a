import type { ResponseLikelihood } from './estimator';
import { fitsModel } from './fit-test';
import type { Interval } from './interval';
import { Support } from './output-model';
import { poolGroups, type GroupTruth } from './partial-pooling';
import { credibleIntervals } from './posterior';
import type { Measure } from './measure';
import type { EstimateOptions } from './response-estimate';
import type { ResponseModel } from './response-model';
import type { GroupTally } from './tally';

/** An estimate by maximum likelihood: possible, biased, and with a smaller error than the unbiased one if the model fits. */
export interface LikelyEstimate {
  readonly estimate: number;
  readonly interval: Interval;
}

export interface Likelihood {
  /** Whether the observed outputs are as near to the model as outputs drawn from it. If not, use the unbiased estimates. */
  fits(): boolean;
  /** By group, and by measure. */
  readonly estimates: readonly (readonly LikelyEstimate[])[];
}

/**
 * Estimates by maximum likelihood (docs/estimate-methods.md, "Maximum likelihood").
 * @param groups with their larger groups, which come first, as `withParents` gives them.
 * @param measures what to estimate of each group.
 */
export function likelihoodOf(
  { response, measures }: ResponseLikelihood,
  groups: readonly GroupTally[],
  options: EstimateOptions,
): Likelihood {
  const support = new Support((output) => response.composition(output));
  placeFirst(support, response);
  const { groups: truths, whole } = poolGroups(support, response, groups);
  const [all] = truths;
  const found = new Values(support, measures).of(truths);
  const intervals = credibleIntervals(support, response, truths, measures, found, options);
  return {
    fits: () => all === undefined || fitsModel(support, response, all.observed, whole),
    estimates: truths.map(({ sources }, group) =>
      measures.map(({ quantity }, index): LikelyEstimate => {
        const per = quantity.kind === 'conversion-rate' ? sources : 1;
        const estimate = found[group]?.[index] ?? NaN;
        const [low, high] = intervals[group]?.[index] ?? [NaN, NaN];
        return { estimate: estimate / per, interval: [low / per, high / per] };
      }),
    ),
  };
}

/**
 * With so many outputs, all are observed ones. Beyond that, the first is added: a source without a report, which may be rare under heavy
 * noise.
 */
const FEW = 64n;

/** Under a posterior, truths that no source reported have a probability, too. */
function placeFirst(support: Support, response: ResponseModel): void {
  const known = response.outputs > FEW ? 1n : response.outputs;
  for (let number = 0n; number < known; number++) support.place(response.outputAt(number));
}

/** Sums of measures over estimated truths. */
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
