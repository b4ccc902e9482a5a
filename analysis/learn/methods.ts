import type { PrivacyUnit } from '../../src/model/mechanisms';
import { type RandomSource } from '../../src/privacy/random-source';
import { Rational } from '../../src/privacy/rational';
import { withoutPart } from '../optimize/private-prior';
import type { AllocationPolicy } from '../simulation/allocation';
import { selectRows, withLabels, withoutSensitive, type Examples, type LabelKind } from './examples';
import { chosenRows, responseFor, withNoisyLabels, type RandomizerFor, type UnitBudget } from './label-noise';
import { PrivacyAccountant } from './privacy-accountant';
import type { Model } from './model';
import { newModel, type ModelKind } from './new-model';
import { trainOnNoisySums } from './noisy-sums';
import { priorFrom, type PriorSource } from './prior-histogram';
import { trainInStages } from './prior-stages';
import { trainPrivately, type PrivateTrainingSettings } from './private-train';
import { RandomNumbers } from './random-numbers';
import { train, type TrainingSettings } from './train';
import { valueRandomizer, type OnSolverRound, type ValueMethod } from './value-noise';
import { seededRandomStreams } from '../random/sources';

/**
 * `none`: without privacy. `rr`: labels by randomized response. `rr-with-prior`: labels by randomized response with the prior of a model
 * that was trained on the others. `rr-on-bins`, `unbiased`: numbers and values by these mechanisms. `label-sums`: from noisy Xᵀy.
 * `dp-sgd`: noisy gradients. `hybrid`: `rr` without the sensitive features, then `dp-sgd` with them. `reports`: the labels come from
 * reports, which are noisy already.
 */
export type Method =
  | 'none'
  | 'rr'
  | 'rr-with-prior'
  | ValueMethod
  | 'label-sums'
  | 'dp-sgd'
  | 'hybrid'
  | 'reports';

/** One way to train one model. */
export interface Recipe {
  readonly method: Method;
  readonly model: ModelKind;
  /** What the model predicts. */
  readonly label: LabelKind;
  /** Whether the model learns from all examples or from those with a conversion. */
  readonly examples: 'all' | 'conversions';
  /** Of numbers and values: those that mechanisms tell apart, ascending from 0. */
  readonly values: readonly number[];
  readonly prior: PriorSource;
  /** Of the method `reports`: the name of the reports. */
  readonly configuration: string | null;
  /** Whether the model sees sensitive features. Methods that protect labels only must not see them where they are to be protected. */
  readonly features: 'all' | 'known';
  /** Whether noisy labels are de-biased. */
  readonly debiased: boolean;
  readonly unit: PrivacyUnit;
  readonly allocation: AllocationPolicy;
  /** K; null: 1 for the unit `impression`, otherwise no limit. */
  readonly cap: number | null;
  /** Null: no noise. */
  readonly epsilon: number | null;
  readonly delta: number;
  /** Of `hybrid`: the share of ε for labels, from 0 (it is `dp-sgd`) to 1 (up to ε = 3 it is `rr` without the sensitive features). */
  readonly labelShare: number;
  /** In days. */
  readonly period: number;
  readonly training: TrainingSettings;
  readonly privateTraining: PrivateTrainingSettings;
}

/** Streams of a seed's randomness. The first two are the same for all methods: without noise, all are the same training. */
const FIRST_WEIGHTS = 0;
const ORDER = 1;
const NOISE = 2;
const GRADIENTS = 3;

/** No more than this is for labels in `hybrid` (Chua et al. 2024). */
const MAX_LABEL_EPSILON = 3;

/** What `hybrid` spends on labels. */
export const labelEpsilon = (share: number, epsilon: number): number =>
  Math.min(share * epsilon, MAX_LABEL_EPSILON);

export interface Trained {
  readonly model: Model;
  readonly accountant: PrivacyAccountant;
  /** The root mean square of what noise added to labels; null where labels are not randomized one by one. */
  readonly labelError: number | null;
}

const CONVERSIONS = [0, 1];

/**
 * What a model's outputs are in units of. A tenth of the greatest value makes the same learning rates suit values of any size.
 */
export const unitOf = ({ label, values }: Recipe): number =>
  label === 'conversion' ? 1 : (values.at(-1) ?? 1) / 10;

/** @throws PrivacyError when a unit would lose more than the recipe allows. */
export function trainBy(
  recipe: Recipe,
  examples: Examples,
  seed: string,
  onSolverRound?: OnSolverRound,
): Trained {
  const { method, epsilon } = recipe;
  const phases = new Phases(recipe, examples, seed, onSolverRound);
  if (method === 'none' || epsilon === null) return phases.withoutNoise();
  switch (method) {
    case 'rr':
      return phases.onConversions(phases.visible, epsilon);
    case 'rr-with-prior':
      return phases.inStages(epsilon);
    case 'rr-on-bins':
    case 'unbiased':
      return phases.onValues(method, epsilon);
    case 'reports':
      return phases.onReports(epsilon);
    case 'label-sums':
      return phases.onSums(epsilon);
    case 'dp-sgd':
      return phases.onGradients(epsilon);
    case 'hybrid': {
      const ofLabels = labelEpsilon(recipe.labelShare, epsilon);
      if (ofLabels === 0) return phases.onGradients(epsilon);
      const trained = phases.onConversions(withoutSensitive(examples), ofLabels);
      return ofLabels < epsilon ? phases.onGradients(withoutPart(epsilon, ofLabels)) : trained;
    }
  }
}

/** The phases of one training. Each continues with the model and the accountant of those before. */
class Phases {
  /** What the recipe lets the model see. */
  readonly visible: Examples;
  private readonly streams: (stream: number) => RandomSource;
  private readonly noise: RandomSource;
  private readonly model: Model;
  private readonly accountant: PrivacyAccountant;

  constructor(
    private readonly recipe: Recipe,
    private readonly examples: Examples,
    seed: string,
    private readonly onSolverRound?: OnSolverRound,
  ) {
    this.visible = recipe.features === 'known' ? withoutSensitive(examples) : examples;
    this.streams = seededRandomStreams(seed);
    this.noise = this.streams(NOISE);
    this.model = this.freshModel();
    this.accountant = new PrivacyAccountant(recipe.epsilon ?? Infinity, recipe.delta);
  }

  withoutNoise(): Trained {
    this.train(this.visible);
    return this.trained(this.model);
  }

  onConversions(examples: Examples, epsilon: number): Trained {
    return this.onLabels(examples, this.budget(epsilon), responseFor(this.recipe.debiased));
  }

  onValues(method: ValueMethod, epsilon: number): Trained {
    const { values, training, debiased } = this.recipe;
    const { prior, examples, budget } = this.prior(values, epsilon);
    const loss = training.loss === 'poisson' ? 'poisson' : 'squared';
    return this.onLabels(
      examples,
      budget,
      valueRandomizer({ method, values, prior, loss, isDebiased: debiased }, this.onSolverRound),
    );
  }

  onReports(epsilon: number): Trained {
    this.accountant.spend({ what: 'labels', epsilon, delta: 0 });
    this.train(this.visible);
    return this.trained(this.model);
  }

  private onLabels(examples: Examples, budget: UnitBudget, randomizerFor: RandomizerFor): Trained {
    const { noise, accountant } = this;
    const noisy = withNoisyLabels(examples, budget, randomizerFor, noise, accountant);
    accountant.spend({ what: 'labels', epsilon: budget.epsilon, delta: 0 });
    this.train(noisy.examples);
    return { ...this.trained(this.model), labelError: noisy.labelError };
  }

  private train(examples: Examples): void {
    train(this.model, this.inUnits(examples), this.recipe.training, this.numbers(ORDER));
  }

  private inUnits(examples: Examples): Examples {
    const unit = unitOf(this.recipe);
    return unit === 1
      ? examples
      : withLabels(
          examples,
          examples.labels.map((label) => label / unit),
        );
  }

  private prior(values: readonly number[], epsilon: number): ReturnType<typeof priorFrom> {
    return priorFrom(
      this.recipe.prior,
      values,
      this.visible,
      this.budget(epsilon),
      this.noise,
      this.accountant,
    );
  }

  inStages(epsilon: number): Trained {
    const { noise, accountant, recipe } = this;
    const { prior, examples, budget } = this.prior(CONVERSIONS, epsilon);
    const fresh = (): Model => this.freshModel();
    const order = this.numbers(ORDER);
    return this.trained(
      trainInStages(
        fresh,
        examples,
        budget,
        Rational.of(prior[1] ?? 0).toNumber(),
        recipe.debiased,
        recipe.training,
        order,
        noise,
        accountant,
      ),
    );
  }

  onSums(epsilon: number): Trained {
    const { model, noise, accountant, recipe } = this;
    const examplesPerUnit = recipe.cap ?? 1;
    const budget = { epsilon, examplesPerUnit };
    trainOnNoisySums(model, this.chosen(epsilon), recipe.training, budget, noise, accountant);
    return this.trained(model);
  }

  onGradients(epsilon: number): Trained {
    const { model, accountant, recipe } = this;
    const budget = { epsilon, delta: recipe.delta, examplesPerUnit: recipe.cap ?? 1 };
    const numbers = this.numbers(GRADIENTS);
    trainPrivately(
      model,
      this.inUnits(this.chosen(epsilon)),
      recipe.privateTraining,
      budget,
      numbers,
      accountant,
    );
    return this.trained(model);
  }

  private readonly trained = (model: Model): Trained => ({
    model,
    accountant: this.accountant,
    labelError: null,
  });

  private readonly numbers = (stream: number): RandomNumbers => new RandomNumbers(this.streams(stream));

  private freshModel(): Model {
    return newModel(this.recipe.model, this.examples.fields, this.numbers(FIRST_WEIGHTS));
  }

  private budget(epsilon: number): UnitBudget {
    const { unit, allocation, cap, period } = this.recipe;
    return { unit, allocation, cap, epsilon, period };
  }

  /** The examples of each unit that may take part. */
  private chosen(epsilon: number): Examples {
    const { rows } = chosenRows(this.visible, this.budget(epsilon), this.noise, this.accountant);
    return selectRows(this.visible, rows);
  }
}
