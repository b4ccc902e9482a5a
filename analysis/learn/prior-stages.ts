import { rememberedByKey } from '../../src/model/remembered';
import type { RandomSource } from '../../src/privacy/random-source';
import { rrWithPrior } from '../../src/privacy/rr-with-prior';
import { selectRows, withLabels, type Examples } from './examples';
import { answersTo, chosenRows, type LabelRandomizer, type UnitBudget } from './label-noise';
import type { PrivacyAccountant } from './privacy-accountant';
import { meanOf } from './loss';
import type { Model } from './model';
import { predict } from './new-model';
import type { RandomNumbers } from './random-numbers';
import { train, type TrainingSettings } from './train';

/**
 * Multi-stage training (Ghazi et al. 2021, "Deep learning with label differential privacy", algorithm 3) with two stages on halves of the
 * examples. Labels of the first half get randomized response with one prior for all. A model trained on them gives each example of the
 * second half its own prior. The result is trained on all. Each label is randomized once, with all of its ε.
 *
 * Where a prior is so sure that the mechanism always answers the same, its answer tells nothing. Such an example has no de-biased label, and
 * is left out then. Which are left out depends on features and on the first half only.
 * @param conversions the first prior: how likely a conversion is.
 * @throws RangeError when labels are to be de-biased, and the first prior is that sure.
 */
export function trainInStages(
  fresh: () => Model,
  examples: Examples,
  budget: UnitBudget,
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
  const answers = (place: number, prior: number): boolean => {
    const randomize = responses(shares[place] ?? 0)(Math.round(prior * PRIOR_STEPS));
    if (randomize === null) return false;
    labels[place] = randomize(accountant.readLabel(chosen, place, 'labels'), random);
    return true;
  };
  const trained = (places: Int32Array): Model => {
    const model = fresh();
    train(model, selectRows(withLabels(chosen, labels), places), settings, order);
    return model;
  };

  const places = Int32Array.from(rows, (_, place) => place);
  const first = places.filter((place) => place % 2 === 0 && answers(place, conversions));
  if (first.length === 0)
    throw new RangeError(
      `with a prior of ${conversions.toFixed(3)} all answers are the same and cannot be de-biased: "debiased" must be [false], "prior" uniform, or ε greater`,
    );
  const outputs = predict(trained(first), chosen);
  const second = places.filter(
    (place) => place % 2 === 1 && answers(place, meanOf('cross-entropy', outputs[place] ?? 0)),
  );
  return trained(Int32Array.of(...first, ...second).sort());
}

/** Priors are rounded to multiples of 1/64, so that few mechanisms are needed. */
const PRIOR_STEPS = 64;

/** Null where the answer is to be de-biased, and is always the same. */
function priorResponse(epsilon: number, step: number, isDebiased: boolean): LabelRandomizer | null {
  const mechanism = rrWithPrior([`${PRIOR_STEPS - step}/${PRIOR_STEPS}`, `${step}/${PRIOR_STEPS}`], epsilon);
  return isDebiased && mechanism.k === 1 ? null : answersTo([0, 1], mechanism, isDebiased);
}
