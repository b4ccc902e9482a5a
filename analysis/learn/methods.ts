import type { PrivacyUnit } from '../../src/model/mechanisms';
import { seededRandomStreams, type RandomSource } from '../../src/privacy/random-source';
import type { AllocationPolicy } from '../simulation/allocation';
import { selectRows, withoutSensitive, type Examples } from './examples';
import { chosenRows, responseFor, withNoisyLabels, type UnitBudget } from './label-noise';
import { Ledger } from './ledger';
import type { Model } from './model';
import { newModel, type ModelKind } from './new-model';
import { trainOnNoisySums } from './noisy-sums';
import { trainInStages } from './prior-stages';
import { trainPrivately, type PrivateTrainingSettings } from './private-train';
import { RandomNumbers } from './random-numbers';
import { train, type TrainingSettings } from './train';

/**
 * `none`: without privacy. `rr`: labels by randomized response. `rr-with-prior`: labels by randomized response with the prior of a model that
 * was trained on the others. `label-sums`: from noisy Xᵀy. `dp-sgd`: noisy gradients. `hybrid`: `rr` without the sensitive features, then
 * `dp-sgd` with them.
 */
export type Method = 'none' | 'rr' | 'rr-with-prior' | 'label-sums' | 'dp-sgd' | 'hybrid';

/** One way to train one model. */
export interface Recipe {
  readonly method: Method;
  readonly model: ModelKind;
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

/** The share of ε for labels in `hybrid`, and its limit (Chua et al. 2024). */
const LABEL_SHARE = 0.6;
const MAX_LABEL_EPSILON = 3;

export interface Trained {
  readonly model: Model;
  readonly ledger: Ledger;
}

/** @throws PrivacyError when a unit would lose more than the recipe allows. */
export function trainBy(recipe: Recipe, examples: Examples, seed: string): Trained {
  const { method, epsilon } = recipe;
  const phases = new Phases(recipe, examples, seed);
  if (method === 'none' || epsilon === null) return phases.withoutNoise();
  switch (method) {
    case 'rr':
      return phases.onLabels(phases.visible, epsilon);
    case 'rr-with-prior':
      return phases.inStages(epsilon);
    case 'label-sums':
      return phases.onSums(epsilon);
    case 'dp-sgd':
      return phases.onGradients(epsilon);
    case 'hybrid': {
      const ofLabels = Math.min(LABEL_SHARE * epsilon, MAX_LABEL_EPSILON);
      phases.onLabels(withoutSensitive(examples), ofLabels);
      // Rounded down, so that both parts do not exceed ε.
      return phases.onGradients((epsilon - ofLabels) * (1 - 2 ** -50));
    }
  }
}

/** The phases of one training. Each continues with the model and the ledger of those before. */
class Phases {
  /** What the recipe lets the model see. */
  readonly visible: Examples;
  private readonly streams: (stream: number) => RandomSource;
  private readonly noise: RandomSource;
  private readonly model: Model;
  private readonly ledger: Ledger;

  constructor(
    private readonly recipe: Recipe,
    private readonly examples: Examples,
    seed: string,
  ) {
    this.visible = recipe.features === 'known' ? withoutSensitive(examples) : examples;
    this.streams = seededRandomStreams(seed);
    this.noise = this.streams(NOISE);
    this.model = this.freshModel();
    this.ledger = new Ledger(recipe.epsilon ?? Infinity, recipe.delta);
  }

  withoutNoise(): Trained {
    train(this.model, this.visible, this.recipe.training, this.numbers(ORDER));
    return this.trained(this.model);
  }

  onLabels(examples: Examples, epsilon: number): Trained {
    const { noise, ledger, recipe } = this;
    const noisy = withNoisyLabels(
      examples,
      this.budget(epsilon),
      responseFor(recipe.debiased),
      noise,
      ledger,
    );
    ledger.spend({ what: 'labels', epsilon, delta: 0 });
    train(this.model, noisy, recipe.training, this.numbers(ORDER));
    return this.trained(this.model);
  }

  inStages(epsilon: number): Trained {
    const { noise, ledger, recipe, visible } = this;
    const fresh = (): Model => this.freshModel();
    const order = this.numbers(ORDER);
    return this.trained(
      trainInStages(fresh, visible, this.budget(epsilon), recipe.training, order, noise, ledger),
    );
  }

  onSums(epsilon: number): Trained {
    const { model, noise, ledger, recipe } = this;
    const examplesPerUnit = recipe.cap ?? 1;
    const budget = { epsilon, examplesPerUnit };
    trainOnNoisySums(model, this.chosen(epsilon), recipe.training, budget, noise, ledger);
    return this.trained(model);
  }

  onGradients(epsilon: number): Trained {
    const { model, ledger, recipe } = this;
    const budget = { epsilon, delta: recipe.delta, examplesPerUnit: recipe.cap ?? 1 };
    const numbers = this.numbers(GRADIENTS);
    trainPrivately(model, this.chosen(epsilon), recipe.privateTraining, budget, numbers, ledger);
    return this.trained(model);
  }

  private readonly trained = (model: Model): Trained => ({ model, ledger: this.ledger });

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
    const { rows } = chosenRows(this.visible, this.budget(epsilon), this.noise, this.ledger);
    return selectRows(this.visible, rows);
  }
}
