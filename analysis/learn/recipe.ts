import type { PrivacyUnit } from '../../src/model/mechanisms';
import type { AllocationPolicy } from '../simulation/allocation';
import type { LabelKind } from './examples';
import type { NetworkSize } from './network-model';
import type { ModelKind } from './new-model';
import type { PriorSource } from './prior-histogram';
import type { Stages } from './prior-stages';
import type { PrivateTrainingSettings } from './private-train';
import type { TrainingSettings } from './train';
import type { ValueMethod } from './value-noise';

/**
 * `none`: without privacy. `rr`: labels by randomized response. `rr-with-prior`: labels by randomized response with the prior of a model
 * that was trained on the others. `laplace`: labels plus Laplace noise. `alibi`: the same on one-hot labels, with the model as prior.
 * `clusters`: noisy rates of groups with similar features. `pate`: noisy votes of models trained on few units each. `rr-on-bins`, `unbiased`: numbers and values by these mechanisms. `label-sums`: from noisy Xᵀy.
 * `feature-sums`: from XᵀX and Xᵀy, noisy where sensitive features or labels enter.
 * `dp-sgd`: noisy gradients. `hybrid`: `rr` without the sensitive features, then `dp-sgd` with them. `reports`: the labels come from
 * reports, which are noisy already.
 */
export type Method =
  | 'none'
  | 'rr'
  | 'rr-with-prior'
  | 'laplace'
  | 'alibi'
  | 'clusters'
  | 'pate'
  | ValueMethod
  | 'label-sums'
  | 'feature-sums'
  | 'dp-sgd'
  | 'hybrid'
  | 'reports';

/** How `hybrid` randomizes labels: as the method of this name. */
export type LabelPhase = 'rr' | 'rr-with-prior';

/** One way to train one model. */
export interface Recipe {
  readonly method: Method;
  readonly model: ModelKind;
  /** Of a `network`. */
  readonly network: NetworkSize;
  /** What the model predicts. */
  readonly label: LabelKind;
  /** Whether the model learns from all examples or from those with a conversion. */
  readonly examples: 'all' | 'conversions';
  /** Of numbers and values: those that mechanisms tell apart, ascending from 0. */
  readonly values: readonly number[];
  readonly prior: PriorSource;
  /** If it `hasStages`. */
  readonly stages: Stages;
  /** How `hybrid` randomizes labels. */
  readonly labelPhase: LabelPhase;
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
  /** Of `hybrid`: K of the labels, if it is not that of the gradients. */
  readonly labelCap: number | null;
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

/** Whether labels are randomized in stages, each with the prior that the stages before give. */
export const hasStages = ({ method, labelPhase }: Pick<Recipe, 'method' | 'labelPhase'>): boolean =>
  method === 'rr-with-prior' || (method === 'hybrid' && labelPhase === 'rr-with-prior');

/**
 * What a model's outputs are in units of. A tenth of the greatest value makes the same learning rates suit values of any size.
 */
export const unitOf = ({ label, values }: Recipe): number =>
  label === 'conversion' ? 1 : (values.at(-1) ?? 1) / 10;
