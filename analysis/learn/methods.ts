import { withoutPart } from '../optimize/private-prior';
import type { Engine } from './engine';
import { withoutSensitive, type Examples } from './examples';
import { Phases, type Trained } from './phases';
import type { Recipe } from './recipe';
import type { OnSolverRound } from './value-noise';

/** No more than this is for labels in `hybrid` (Chua et al. 2024). */
const MAX_LABEL_EPSILON = 3;

/** What `hybrid` spends on labels. */
export const labelEpsilon = (share: number, epsilon: number): number =>
  Math.min(share * epsilon, MAX_LABEL_EPSILON);

/** @throws PrivacyError when a unit would lose more than the recipe allows. */
export function trainBy(
  recipe: Recipe,
  examples: Examples,
  seed: string,
  engine?: Engine,
  onSolverRound?: OnSolverRound,
): Trained {
  const { method, epsilon } = recipe;
  const phases = new Phases(recipe, examples, seed, engine, onSolverRound);
  if (method === 'none' || epsilon === null) return phases.withoutNoise();
  switch (method) {
    case 'rr':
      return phases.onConversions(phases.visible, epsilon);
    case 'rr-with-prior':
      return phases.inStages(phases.visible, epsilon);
    case 'laplace':
      return phases.onLaplaceLabels(epsilon);
    case 'alibi':
      return phases.onLogOdds(epsilon);
    case 'clusters':
      return phases.onClusters(epsilon);
    case 'pate':
      return phases.onVotes(epsilon);
    case 'rr-on-bins':
    case 'unbiased':
      return phases.onValues(method, epsilon);
    case 'reports':
      return phases.onReports(epsilon);
    case 'label-sums':
      return phases.onSums(epsilon);
    case 'feature-sums':
      return phases.onFeatureSums(epsilon);
    case 'dp-sgd':
      return phases.onGradients(epsilon);
    case 'hybrid': {
      const ofLabels = labelEpsilon(recipe.labelShare, epsilon);
      if (ofLabels === 0) return phases.onGradients(epsilon);
      const trained = phases.onLabelPhase(withoutSensitive(examples), ofLabels);
      return ofLabels < epsilon ? phases.onGradients(withoutPart(epsilon, ofLabels)) : trained;
    }
  }
}
