import { basicComposition } from '../noise/composition';
import { rememberedByKey } from '../../src/model/remembered';
import { Rational } from '../../src/privacy/rational';
import type { Examples } from './examples';

/** Something that would have cost more privacy than the accountant says. */
export class PrivacyError extends Error {}

/** One loss of a unit: (ε, δ) of one phase of training. */
export interface Loss {
  readonly what:
    | 'prior'
    | 'labels'
    | 'label-sums'
    | 'feature-sums'
    | 'cluster-counts'
    | 'votes'
    | 'gradients';
  readonly epsilon: number;
  readonly delta: number;
}

/** What a label is taken for: the histogram of a prior, or a stage, that has its own part of ε, or to be randomized. */
export type LabelUse = 'prior' | 'labels' | `stage ${number}`;

/** What training with private steps did, as it happened. */
export interface PrivateSteps {
  /** The probability with which each example was taken into a step. */
  readonly rate: number;
  readonly steps: number;
  readonly examples: number;
  /** How many examples all steps took together. */
  readonly taken: number;
  readonly clip: number;
  /** The greatest length of a gradient after clipping. */
  readonly longest: number;
}

/** How many standard deviations the number of taken examples may be off: a probability below 1e-14. */
const MAX_DEVIATION = 8;

/**
 * What one unit loses in all phases of training together, by basic composition. In every phase, neighbours differ in the examples of one unit,
 * which are replaced by others: labels alone where only labels are protected. Phases enter what they do as they do it; what does not fit
 * the budget, or was not done as stated, throws.
 */
export class PrivacyAccountant {
  private readonly losses: Loss[] = [];
  private readonly labelsTaken = rememberedByKey<LabelUse, WeakMap<Float32Array, Uint8Array>>(
    () => new WeakMap(),
  );

  /** Which ε, number of labels and shares were within the budget. */
  private readonly keptOnLabels = new Set<string>();

  constructor(
    private readonly epsilon: number,
    private readonly delta: number,
  ) {}

  /** @throws PrivacyError when all losses together exceed the budget. */
  spend(loss: Loss): void {
    this.losses.push(loss);
    const { epsilon, delta } = this.total;
    if (!(epsilon <= this.epsilon && delta <= this.delta))
      throw new PrivacyError(
        `the losses add up to ε = ${epsilon}, δ = ${delta}; the budget is ε = ${this.epsilon}, δ = ${this.delta}`,
      );
  }

  get entries(): readonly Loss[] {
    return this.losses;
  }

  /** The (ε, δ) of everything. */
  get total(): { readonly epsilon: number; readonly delta: number } {
    const sum = (numbers: readonly number[]): number =>
      basicComposition(numbers.map((number) => Rational.of(number))).toNumber();
    return {
      epsilon: sum(this.losses.map(({ epsilon }) => epsilon)),
      delta: sum(this.losses.map(({ delta }) => delta)),
    };
  }

  /** @throws PrivacyError unless the shares of a unit's labels add up to at most its ε. */
  spendOnLabels(epsilon: number, count: number, share: number): void {
    // Thousands of units are alike, and the exact sum takes longer than the rest of a unit.
    const kept = `${epsilon} ${count} ${share}`;
    if (this.keptOnLabels.has(kept)) return;
    const sum = Rational.of(share).times(Rational.of(count));
    if (sum.compare(Rational.of(epsilon)) > 0n)
      throw new PrivacyError(`${count} labels of a unit with ε = ${share} each exceed ε = ${epsilon}`);
    this.keptOnLabels.add(kept);
  }

  /** @throws PrivacyError when a unit has more examples than the noise hides. */
  holdUnit(count: number, most: number): void {
    if (count > most)
      throw new PrivacyError(`a unit has ${count} examples, and the noise hides ${most} of a unit`);
  }

  /** A true label. @throws PrivacyError if it was taken for this before. */
  readLabel({ labels }: Examples, row: number, use: LabelUse): number {
    const ofUse = this.labelsTaken(use);
    const taken = ofUse.get(labels) ?? new Uint8Array(labels.length);
    ofUse.set(labels, taken);
    if (taken[row] !== 0) throw new PrivacyError(`the label of row ${row} must not be randomized twice`);
    taken[row] = 1;
    return labels[row] ?? 0;
  }

  /** @throws PrivacyError when the steps were not what the loss was computed for. */
  check({ rate, steps, examples, taken, clip, longest }: PrivateSteps): void {
    const expected = rate * steps * examples;
    const deviation = Math.sqrt(expected * (1 - rate));
    // So written that numbers which are none do not pass.
    if (!(Math.abs(taken - expected) <= MAX_DEVIATION * deviation))
      throw new PrivacyError(
        `${taken} examples were taken; at a sampling rate of ${rate} it should be ${expected}`,
      );
    if (!(longest <= clip))
      throw new PrivacyError(`a gradient had length ${longest} after clipping; it must be at most ${clip}`);
  }
}

/**
 * What one example may lose so that `size` examples together lose at most (ε, δ): group privacy turns (ε′, δ′) into (k·ε′, δ′·(e^(k·ε′) − 1)/(e^ε′
 * − 1)) (Vadhan 2017, "The complexity of differential privacy", lemma 2.2).
 */
export const lossOfMember = (
  epsilon: number,
  delta: number,
  size: number,
): { epsilon: number; delta: number } =>
  size === 1
    ? { epsilon, delta }
    : { epsilon: epsilon / size, delta: (delta * Math.expm1(epsilon / size)) / Math.expm1(epsilon) };
