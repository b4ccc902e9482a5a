import type { Loss } from '../../src/privacy/bin-loss';
import type { Exact } from '../../src/privacy/rational';
import type { OutputShape } from './quantities';

/** How the outputs of sources are randomized. Values and priors are taken exactly, as the mechanisms of src/privacy/ do. */
export type Mechanism =
  | { readonly kind: 'rr' }
  /** Over the states of the source, in their order; or over values, when there are any. */
  | {
      readonly kind: 'rr-with-prior';
      readonly prior: readonly Exact[];
      readonly values: readonly Exact[] | null;
    }
  | {
      readonly kind: 'rr-on-bins';
      readonly values: readonly Exact[];
      readonly prior: readonly Exact[];
      readonly loss: Loss;
    }
  | { readonly kind: 'unbiased'; readonly values: readonly Exact[]; readonly prior: readonly Exact[] };

/** All that the outputs of a source depend on, but for the truth. */
export interface Configuration {
  readonly shape: OutputShape;
  readonly epsilon: number;
  readonly mechanism: Mechanism;
}

/** Equal for configurations whose sources can be added up. */
export const configurationKey = ({ shape, epsilon, mechanism }: Configuration): string =>
  JSON.stringify(
    [shape.triggerSpecs, shape.maxEventLevelReports, shape.flexible, epsilon, mechanism],
    (_, item) => (typeof item === 'bigint' ? String(item) : (item as unknown)),
  );
