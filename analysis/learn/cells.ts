import type { Experiment, Figure } from './experiment';
import type { Recipe } from './methods';

/** One training of the grid. */
export interface Cell {
  /** −1 for a baseline, which all figures with its model share. */
  readonly figure: number;
  readonly recipe: Recipe;
  readonly seed: number;
}

/** All trainings, baselines first. */
export function cellsOf(experiment: Experiment): readonly Cell[] {
  const seeds = Array.from({ length: experiment.seeds }, (_, seed) => seed);
  const models = [...new Set(experiment.figures.map(({ model }) => model))];
  const baselines = models.flatMap((model) =>
    seeds.map((seed): Cell => ({ figure: -1, recipe: baselineOf(experiment, model), seed })),
  );
  const trained = experiment.figures.flatMap((figure, index) =>
    recipesOf(experiment, figure).flatMap((recipe) => seeds.map((seed) => ({ figure: index, recipe, seed }))),
  );
  return [...baselines, ...trained];
}

const trainingOf = ({ delta, period, training, privateTraining }: Experiment) =>
  ({
    delta,
    period,
    training: { ...training, loss: 'cross-entropy' },
    privateTraining: { ...privateTraining, loss: 'cross-entropy' },
  }) as const;

const baselineOf = (experiment: Experiment, model: Recipe['model']): Recipe => ({
  ...trainingOf(experiment),
  method: 'none',
  model,
  features: 'all',
  debiased: true,
  unit: 'impression',
  allocation: 'per-cap',
  cap: 1,
  epsilon: null,
});

function recipesOf(experiment: Experiment, figure: Figure): Recipe[] {
  const { model, allocation } = figure;
  return figure.methods.flatMap((method) =>
    figure.debiased.flatMap((debiased) =>
      figure.units.flatMap((unit) =>
        // An impression is alone in its unit.
        (unit === 'impression' ? [1] : figure.caps).flatMap((cap) =>
          figure.epsilons.map((epsilon): Recipe => ({
            ...trainingOf(experiment),
            method,
            model,
            // Noisy gradients protect all features, noisy labels only labels.
            features: method === 'dp-sgd' || method === 'hybrid' ? 'all' : figure.features,
            debiased,
            unit,
            allocation,
            cap,
            epsilon,
          })),
        ),
      ),
    ),
  );
}
