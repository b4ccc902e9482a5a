import type { Mechanism as AnyMechanism } from '../../../src/model/mechanisms';
import type { Epsilon } from '../../../src/model/units';
import type { ExactNumber } from '../../../formats/settings/mechanism';
import type { OutputShape } from './quantities';

/** How the outputs of sources are randomized. Values and priors are taken exactly, as the mechanisms of src/privacy/ do. */
export type Mechanism = AnyMechanism<ExactNumber>;

/** Everything except the truth that a source's output depends on. */
export interface Configuration {
  readonly shape: OutputShape;
  readonly epsilon: Epsilon;
  readonly mechanism: Mechanism;
}

/** Equal for configurations whose sources can be added up. */
export const configurationKey = ({ shape, epsilon, mechanism }: Configuration): string =>
  JSON.stringify([shape.triggerSpecs, shape.maxEventLevelReports, shape.flexible, epsilon, mechanism]);

/** How many pairs of trigger data and windows there are. The time that the estimates of a group take grows with it. */
export const cellsOf = ({ shape }: Configuration): number =>
  shape.triggerSpecs.reduce(
    (sum, { triggerData, windows }) => sum + triggerData.length * windows.ends.length,
    0,
  );
