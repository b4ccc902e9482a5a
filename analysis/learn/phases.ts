import { type RandomSource } from '../../src/privacy/random-source';
import { Rational } from '../../src/privacy/rational';
import { onlyRows, withLabels, withoutSensitive, type Examples } from './examples';
import { withClusteredLabels } from './clustered-labels';
import { builtIn, trainPrivately, type Engine } from './engine';
import { trainOnFeatureSums } from './feature-sums';
import { laplaceLabels, laplaceLogOdds, slopeOfAnswer } from './laplace-labels';
import {
  chosenRows,
  responseFor,
  rowsByUnit,
  withNoisyLabels,
  type RandomizerFor,
  type UnitBudget,
} from './label-noise';
import { PrivacyAccountant } from './privacy-accountant';
import type { Model } from './model';
import { newModel } from './new-model';
import { trainOnNoisySums } from './noisy-sums';
import { priorFrom } from './prior-histogram';
import { trainInStages } from './prior-stages';
import { RandomNumbers } from './random-numbers';
import { unitOf, type Recipe } from './recipe';
import { askTeachers } from './teachers';
import type { SlopeOf } from './train';
import { valueRandomizer, type OnSolverRound, type ValueMethod } from './value-noise';
import { seededRandomStreams } from '../random/sources';

/** Streams of a seed's randomness. The first two are the same for all methods: without noise, all are the same training. */
const FIRST_WEIGHTS = 0;
const ORDER = 1;
const NOISE = 2;
const GRADIENTS = 3;
const CLUSTERS = 4;

export interface Trained {
  readonly model: Model;
  readonly accountant: PrivacyAccountant;
  /** The root mean square of what noise added to labels; null where labels are not randomized one by one. */
  readonly labelError: number | null;
  /** The share of the parameters that a step gives noise; null without noisy gradients. */
  readonly noisyShare: number | null;
}

const CONVERSIONS = [0, 1];

/** The phases of one training. Each continues with the model and the accountant of those before. */
export class Phases {
  /** What the recipe lets the model see. */
  readonly visible: Examples;
  private readonly streams: (stream: number) => RandomSource;
  private readonly noise: RandomSource;
  private model: Model;
  private readonly accountant: PrivacyAccountant;

  constructor(
    private readonly recipe: Recipe,
    private readonly examples: Examples,
    seed: string,
    private readonly engine: Engine = builtIn,
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

  /** @param cap K of the phase. */
  onConversions(examples: Examples, epsilon: number, cap = this.recipe.cap): Trained {
    return this.onLabels(examples, this.budget(epsilon, cap), responseFor(this.recipe.debiased));
  }

  /** The first phase of `hybrid`, which can have another K than the second. */
  onLabelPhase(examples: Examples, epsilon: number): Trained {
    const { labelPhase, labelCap, cap } = this.recipe;
    const ofPhase = labelCap ?? cap;
    return labelPhase === 'rr'
      ? this.onConversions(examples, epsilon, ofPhase)
      : this.inStages(examples, epsilon, ofPhase);
  }

  onLaplaceLabels(epsilon: number): Trained {
    const { label, values } = this.recipe;
    const most = label === 'conversion' ? 1 : (values.at(-1) ?? 1);
    return this.onLabels(this.visible, this.budget(epsilon), laplaceLabels(most));
  }

  onLogOdds(epsilon: number): Trained {
    const trained = this.onLabels(this.visible, this.budget(epsilon), laplaceLogOdds, slopeOfAnswer);
    return { ...trained, labelError: null };
  }

  onClusters(epsilon: number): Trained {
    const { noise, accountant, recipe } = this;
    const budget = { epsilon, examplesPerUnit: recipe.cap ?? 1 };
    const examples = this.chosenUpToCap(epsilon);
    this.train(withClusteredLabels(examples, budget, this.numbers(CLUSTERS), noise, accountant));
    return this.trained(this.model);
  }

  onVotes(epsilon: number): Trained {
    const { noise, accountant, recipe } = this;
    const order = this.numbers(ORDER);
    const { examples, settings } = askTeachers(
      () => this.freshModel(),
      this.chosen(epsilon),
      this.budget(epsilon),
      recipe.delta,
      recipe.training,
      order,
      noise,
      accountant,
    );
    this.engine.train(this.model, examples, settings, order);
    return this.trained(this.model);
  }

  onValues(method: ValueMethod, epsilon: number): Trained {
    const { values, training, debiased } = this.recipe;
    const { prior, examples, budget } = this.prior(values, this.visible, this.budget(epsilon));
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

  private onLabels(
    examples: Examples,
    budget: UnitBudget,
    randomizerFor: RandomizerFor,
    slopeOf?: SlopeOf,
  ): Trained {
    const { noise, accountant } = this;
    const noisy = withNoisyLabels(examples, budget, randomizerFor, noise, accountant);
    accountant.spend({ what: 'labels', epsilon: budget.epsilon, delta: 0 });
    this.train(noisy.examples, slopeOf);
    return { ...this.trained(this.model), labelError: noisy.labelError };
  }

  private train(examples: Examples, slopeOf?: SlopeOf): void {
    const order = this.numbers(ORDER);
    this.engine.train(this.model, this.inUnits(examples), this.recipe.training, order, slopeOf);
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

  private prior(
    values: readonly number[],
    examples: Examples,
    budget: UnitBudget,
  ): ReturnType<typeof priorFrom> {
    return priorFrom(this.recipe.prior, values, examples, budget, this.noise, this.accountant);
  }

  /** @param cap K of the phase. */
  inStages(from: Examples, epsilon: number, cap = this.recipe.cap): Trained {
    const { noise, accountant, recipe } = this;
    const { prior, examples, budget } = this.prior(CONVERSIONS, from, this.budget(epsilon, cap));
    const fresh = (): Model => this.freshModel();
    const order = this.numbers(ORDER);
    this.model = trainInStages(
      this.engine,
      fresh,
      examples,
      budget,
      recipe.stages,
      Rational.of(prior[1] ?? 0).toNumber(),
      recipe.debiased,
      recipe.training,
      order,
      noise,
      accountant,
    );
    return this.trained(this.model);
  }

  onSums(epsilon: number): Trained {
    const { model, noise, accountant, recipe } = this;
    const examplesPerUnit = recipe.cap ?? 1;
    const budget = { epsilon, examplesPerUnit };
    trainOnNoisySums(model, this.chosenUpToCap(epsilon), recipe.training, budget, noise, accountant);
    return this.trained(model);
  }

  onFeatureSums(epsilon: number): Trained {
    const { model, accountant, recipe } = this;
    const budget = { epsilon, delta: recipe.delta, examplesPerUnit: recipe.cap ?? 1 };
    const labels = { most: recipe.values.at(-1) ?? 1, unit: unitOf(recipe) };
    const random = this.numbers(GRADIENTS);
    trainOnFeatureSums(model, this.chosenUpToCap(epsilon), labels, budget, random, accountant);
    return this.trained(model);
  }

  onGradients(epsilon: number): Trained {
    const { model, accountant, recipe } = this;
    const budget = { epsilon, delta: recipe.delta, examplesPerUnit: recipe.cap ?? 1 };
    const numbers = this.numbers(GRADIENTS);
    const noisyShare = trainPrivately(
      this.engine,
      model,
      this.inUnits(this.chosenUpToCap(epsilon)),
      recipe.privateTraining,
      budget,
      numbers,
      accountant,
    );
    return { ...this.trained(model), noisyShare };
  }

  private readonly trained = (model: Model): Trained => ({
    model,
    accountant: this.accountant,
    labelError: null,
    noisyShare: null,
  });

  private readonly numbers = (stream: number): RandomNumbers => new RandomNumbers(this.streams(stream));

  private freshModel(): Model {
    return newModel(
      this.recipe.model,
      this.examples.fields,
      this.numbers(FIRST_WEIGHTS),
      this.recipe.network,
    );
  }

  private budget(epsilon: number, cap = this.recipe.cap): UnitBudget {
    const { unit, allocation, period } = this.recipe;
    return { unit, allocation, cap, epsilon, period };
  }

  /** The examples of each unit that may take part. */
  private chosen(epsilon: number): Examples {
    const { rows } = chosenRows(this.visible, this.budget(epsilon), this.noise, this.accountant);
    return onlyRows(this.visible, rows);
  }

  /**
   * The same, for noise that hides K examples of a unit.
   * @throws PrivacyError when more of a unit may take part.
   */
  private chosenUpToCap(epsilon: number): Examples {
    const examples = this.chosen(epsilon);
    for (const { length } of rowsByUnit(examples, this.budget(epsilon)))
      this.accountant.holdUnit(length, this.recipe.cap ?? 1);
    return examples;
  }
}
