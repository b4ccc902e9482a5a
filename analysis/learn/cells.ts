import type { Experiment, Figure } from './experiment';
import { labelEpsilon } from './methods';
import { networkName } from './network-model';
import type { Method, Recipe } from './recipe';
import { privateSettingsOf, settingsOf, withoutDropout, type Schedule } from './schedule';

/** One training of the grid. */
export interface Cell {
  /** −1 for a baseline, which all figures with its task share. */
  readonly figure: number;
  readonly recipe: Recipe;
  readonly seed: number;
}

/**
 * All trainings: baselines first, then those of the figures with the fewest, so that there is soon something to see.
 * @param reportEpsilons the ε of labels from reports, by the name of their configuration.
 */
export function cellsOf(
  experiment: Experiment,
  reportEpsilons: ReadonlyMap<string, number> = new Map(),
): readonly Cell[] {
  const { figures } = experiment;
  const seeds = Array.from({ length: experiment.seeds }, (_, seed) => seed);
  const baselines = new Map(
    figures
      .flatMap((figure) => baselinesOf(experiment, figure))
      .map((recipe) => [`${taskOf(recipe)} ${JSON.stringify(recipe.training)}`, recipe]),
  );
  const cells = (figure: number, recipes: Iterable<Recipe>): Cell[] =>
    [...recipes].flatMap((recipe) => seeds.map((seed) => ({ figure, recipe, seed })));
  return [
    ...cells(-1, baselines.values()),
    ...figures
      .map((figure, index) => cells(index, recipesOf(experiment, figure, reportEpsilons)))
      .sort((a, b) => a.length - b.length)
      .flat(),
  ];
}

/** What a model is to learn. Trainings with the same task and seed have the same baseline. */
export const taskOf = ({ model, network, label, examples, training }: Recipe): string =>
  [model, model === 'network' ? networkName(network) : '', label, examples, training.loss].join(' ');

const baselinesOf = (experiment: Experiment, figure: Figure): readonly Recipe[] =>
  trainingsOf(experiment, figure, 'none', null).map((training) => ({
    ...training,
    method: 'none',
    features: 'all',
    debiased: true,
    unit: 'impression',
    cap: 1,
    labelCap: null,
    epsilon: null,
    configuration: null,
  }));

function recipesOf(
  experiment: Experiment,
  figure: Figure,
  reportEpsilons: ReadonlyMap<string, number>,
): Recipe[] {
  return figure.methods.flatMap((method) =>
    method === 'reports'
      ? recipesOfReports(experiment, figure, reportEpsilons)
      : recipesOfMethod(experiment, figure, method),
  );
}

/** The noise of reports comes from their configuration: each impression's ε is as it was registered. */
const recipesOfReports = (
  experiment: Experiment,
  figure: Figure,
  reportEpsilons: ReadonlyMap<string, number>,
): Recipe[] =>
  figure.configurations.flatMap((configuration) =>
    figure.debiased.flatMap((debiased) =>
      trainingsOf(experiment, figure, 'reports', null).map((training): Recipe => ({
        ...training,
        method: 'reports',
        features: figure.features,
        debiased,
        unit: 'impression',
        cap: 1,
        labelCap: null,
        epsilon: reportEpsilons.get(configuration) ?? null,
        configuration,
      })),
    ),
  );

const ALL_FEATURES: readonly Method[] = ['feature-sums', 'dp-sgd', 'hybrid'];

function recipesOfMethod(experiment: Experiment, figure: Figure, method: Method): Recipe[] {
  return figure.debiased.flatMap((debiased) =>
    figure.units.flatMap((unit) =>
      // An impression is alone in its unit.
      (unit === 'impression' ? [1] : figure.caps).flatMap((cap) =>
        figure.epsilons.flatMap((epsilon) =>
          trainingsOf(experiment, figure, method, epsilon).map((training): Recipe => ({
            ...training,
            method,
            // These protect sensitive features, too; noisy labels only labels.
            features: ALL_FEATURES.includes(method) ? 'all' : figure.features,
            debiased,
            unit,
            cap,
            labelCap: method === 'hybrid' && unit !== 'impression' ? figure.labelCap : null,
            epsilon,
            configuration: null,
          })),
        ),
      ),
    ),
  );
}

/** What all recipes of a method share, once for each combination of the schedules and shares that matter to it. */
function trainingsOf(
  { delta, period, training, privateTraining, labelShares }: Experiment,
  {
    model,
    network,
    label,
    examples,
    loss,
    values,
    prior,
    stages,
    stageSplit,
    labelPhase,
    allocation,
  }: Figure,
  method: Method,
  epsilon: number | null,
): readonly Omit<
  Recipe,
  'method' | 'features' | 'debiased' | 'unit' | 'cap' | 'labelCap' | 'epsilon' | 'configuration'
>[] {
  const ofModel = <Of extends Schedule>(given: Of): Of =>
    model === 'network' ? given : withoutDropout(given);
  return phasesOf(method, labelShares, epsilon).flatMap(({ labelShare, onLabels, onGradients }) =>
    settingsOf(ofModel(training))
      .slice(0, onLabels ? undefined : 1)
      .flatMap((ofLabels) =>
        privateSettingsOf(ofModel(privateTraining))
          .slice(0, onGradients ? undefined : 1)
          .map((ofGradients) => ({
            model,
            network,
            label,
            examples,
            values,
            prior,
            stages: { count: stages, split: stageSplit },
            labelPhase,
            allocation,
            delta,
            labelShare,
            period,
            training: { ...ofLabels, loss },
            privateTraining: { ...ofGradients, loss },
          })),
      ),
  );
}

interface TrainingPhases {
  readonly labelShare: number;
  readonly onLabels: boolean;
  readonly onGradients: boolean;
}

/** The phases of a method; of `hybrid`, for each share that differs from those before in what it spends on labels. */
function phasesOf(
  method: Method,
  shares: readonly number[],
  epsilon: number | null,
): readonly TrainingPhases[] {
  if (method !== 'hybrid' || epsilon === null) {
    const onGradients = method === 'dp-sgd';
    // Solving equations has no schedule.
    const onLabels = !onGradients && method !== 'feature-sums';
    return shares.slice(0, 1).map((labelShare) => ({ labelShare, onLabels, onGradients }));
  }
  const ofLabels = shares.map((share) => labelEpsilon(share, epsilon));
  return shares.flatMap((labelShare, index) => {
    const spent = ofLabels[index] ?? 0;
    return ofLabels.indexOf(spent) < index
      ? []
      : [{ labelShare, onLabels: spent > 0, onGradients: spent < epsilon }];
  });
}
