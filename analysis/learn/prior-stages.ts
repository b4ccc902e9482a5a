import { rememberedByKey } from '../../src/model/remembered';
import type { RandomSource } from '../../src/privacy/random-source';
import { rrWithPrior } from '../../src/privacy/rr-with-prior';
import { withoutPart } from '../optimize/private-prior';
import type { Engine } from './engine';
import { selectRows, withLabels, type Examples } from './examples';
import { answersTo, chosenRows, type LabelRandomizer, type UnitBudget } from './label-noise';
import type { LabelUse, PrivacyAccountant } from './privacy-accountant';
import { meanOf } from './loss';
import type { Model } from './model';
import { predict } from './new-model';
import type { RandomNumbers } from './random-numbers';
import type { TrainingSettings } from './train';

/** What stages share: each has a part of the examples with all of their ε, or all examples with a part of it. */
export type StageSplit = 'examples' | 'budget';

export interface Stages {
  readonly count: number;
  readonly split: StageSplit;
}

/** What a stage may use of the labels. */
interface Stage {
  readonly places: Int32Array;
  readonly use: LabelUse;
  /** ε of a label as a share of what it has for all stages. */
  readonly share: (epsilon: number) => number;
}

/**
 * Multi-stage training (Ghazi et al. 2021, "Deep learning with label differential privacy", algorithm 3). Labels of the first stage get
 * randomized response with one prior for all. A model trained on them gives each example of the next stage its own prior, and so on. If stages
 * have parts of the examples, each model is trained on the answers so far; if they have parts of ε, on those of its own stage, the better.
 *
 * Where a prior is so sure that the mechanism always answers the same, its answer tells nothing. Such an example has no de-biased label, and
 * is left out then. Which are left out depends on features and on earlier stages only.
 * @param conversions the first prior: how likely a conversion is.
 * @throws RangeError when labels are to be de-biased, and the first prior is that sure.
 */
export function trainInStages(
  engine: Engine,
  fresh: () => Model,
  examples: Examples,
  budget: UnitBudget,
  { count, split }: Stages,
  conversions: number,
  isDebiased: boolean,
  settings: TrainingSettings,
  order: RandomNumbers,
  random: RandomSource,
  accountant: PrivacyAccountant,
): Model {
  const { rows, shares } = chosenRows(examples, budget, random, accountant);
  accountant.spend({ what: 'labels', epsilon: budget.epsilon, delta: 0 });
  const labels = new Float32Array(rows.length);
  const chosen = selectRows(examples, rows);
  const responses = rememberedByKey((share: number) =>
    rememberedByKey((step: number) => priorResponse(share, step, isDebiased)),
  );
  /** Whether the answer tells anything. */
  const answers = ({ use, share }: Stage, place: number, prior: number): boolean => {
    const randomize = responses(share(shares[place] ?? 0))(Math.round(prior * PRIOR_STEPS));
    if (randomize === null) return false;
    labels[place] = randomize(accountant.readLabel(chosen, place, use), random);
    return true;
  };
  const trained = (places: Int32Array): Model => {
    const model = fresh();
    engine.train(model, selectRows(withLabels(chosen, labels), places), settings, order);
    return model;
  };

  let answered: Int32Array = new Int32Array();
  let model: Model | null = null;
  for (const stage of stagesOf(rows.length, count, split)) {
    const outputs = model === null ? null : predict(model, chosen);
    const said = stage.places.filter((place) =>
      answers(stage, place, outputs === null ? conversions : meanOf('cross-entropy', outputs[place] ?? 0)),
    );
    if (model === null && said.length === 0)
      throw new RangeError(
        `with a prior of ${conversions.toFixed(3)} all answers are the same and cannot be de-biased: "debiased" must be [false], "prior" uniform, or ε greater`,
      );
    answered = split === 'examples' ? together(answered, said) : said;
    // A stage whose answers tell nothing adds nothing.
    if (said.length > 0) model = trained(answered);
  }
  if (model === null) throw new Error('the first stage trains a model');
  return model;
}

/** Both lists in ascending order. A spread would fail for some 100,000 places. */
function together(one: Int32Array, other: Int32Array): Int32Array {
  const all = new Int32Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all.sort();
}

/** Every `count`-th place for each stage, or all places with a part of ε. */
function stagesOf(rows: number, count: number, split: StageSplit): readonly Stage[] {
  const places = Int32Array.from({ length: rows }, (_, place) => place);
  return Array.from({ length: count }, (_, stage): Stage =>
    split === 'examples'
      ? {
          places: places.filter((place) => place % count === stage),
          use: 'labels',
          share: (epsilon) => epsilon,
        }
      : {
          places,
          use: `stage ${stage}`,
          // Rounded down, so that all parts together do not exceed ε.
          share: (epsilon) => withoutPart(epsilon, 0) / count,
        },
  );
}

/** Priors are rounded to multiples of 1/64, so that few mechanisms are needed. */
const PRIOR_STEPS = 64;

/** Null where the answer is to be de-biased, and is always the same. */
function priorResponse(epsilon: number, step: number, isDebiased: boolean): LabelRandomizer | null {
  const mechanism = rrWithPrior([`${PRIOR_STEPS - step}/${PRIOR_STEPS}`, `${step}/${PRIOR_STEPS}`], epsilon);
  return isDebiased && mechanism.k === 1 ? null : answersTo([0, 1], mechanism, isDebiased);
}
