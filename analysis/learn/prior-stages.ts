import type { RandomSource } from '../../src/privacy/random-source';
import { rrWithPrior } from '../../src/privacy/rr-with-prior';
import { selectRows, withLabels, type Examples } from './examples';
import { chosenRows, responseFor, type LabelRandomizer, type UnitBudget } from './label-noise';
import type { Ledger } from './ledger';
import { meanOf } from './loss';
import type { Model } from './model';
import { predict } from './new-model';
import type { RandomNumbers } from './random-numbers';
import { train, type TrainingSettings } from './train';

/**
 * Multi-stage training (Ghazi et al. 2021, "Deep learning with label differential privacy", algorithm 3) with two stages on halves of the
 * examples. Labels of the first half get randomized response with one prior for all. A model trained on them gives each example of the
 * second half its own prior. The result is trained on all. Each label is randomized once, with all of its ε.
 * @param conversions the first prior: how likely a conversion is.
 */
export function trainInStages(
  fresh: () => Model,
  examples: Examples,
  budget: UnitBudget,
  conversions: number,
  settings: TrainingSettings,
  order: RandomNumbers,
  random: RandomSource,
  ledger: Ledger,
): Model {
  const { rows, shares } = chosenRows(examples, budget, random, ledger);
  ledger.spend({ what: 'labels', epsilon: budget.epsilon, delta: 0 });
  const isFirst = (place: number): boolean => place % 2 === 0;
  const labels = new Float32Array(rows.length);
  const chosen = selectRows(examples, rows);
  const answer = (place: number, randomize: LabelRandomizer): void => {
    labels[place] = randomize(ledger.takeLabel(chosen, place, 'labels'), random);
  };
  const responses = remembered((share: number) => remembered((step: number) => priorResponse(share, step)));
  const answerWith = (place: number, prior: number): void =>
    answer(place, responses(shares[place] ?? 0)(Math.round(prior * PRIOR_STEPS)));
  rows.forEach((_, place) => isFirst(place) && answerWith(place, conversions));

  const places = Int32Array.from(rows, (_, place) => place).filter(isFirst);
  const first = fresh();
  train(first, selectRows(withLabels(chosen, labels), places), settings, order);
  const outputs = predict(first, chosen);
  rows.forEach(
    (_, place) => isFirst(place) || answerWith(place, meanOf('cross-entropy', outputs[place] ?? 0)),
  );
  const model = fresh();
  train(model, withLabels(chosen, labels), settings, order);
  return model;
}

/** Priors are rounded to multiples of 1/64, so that few mechanisms are needed. */
const PRIOR_STEPS = 64;

/** Where the prior is so sure that the mechanism always answers the same, its answer tells nothing, and the prior itself is the label. */
function priorResponse(epsilon: number, step: number): LabelRandomizer {
  const { k } = rrWithPrior([`${PRIOR_STEPS - step}/${PRIOR_STEPS}`, `${step}/${PRIOR_STEPS}`], epsilon);
  return k === 2 ? responseFor(true)(epsilon) : () => step / PRIOR_STEPS;
}

function remembered<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}
