import type { RandomSource } from '../../src/privacy/random-source';

/** What comes out for one of two neighbouring inputs, as far as an observer looks. */
export type Draw = (random: RandomSource) => string;

/** Something that is computed of reports or labels and then published: it must not tell neighbouring inputs apart by more than ε. */
export interface Release {
  readonly id: string;
  /** In English, after "the inputs differ in". */
  readonly differs: string;
  /** ε. */
  readonly promise: number;
  /** Whether all outputs can be gone through. Noise without ends has too many, so it is drawn. */
  readonly method: 'exact' | 'at-least';
  readonly inputs: () => Promise<readonly [Draw, Draw]>;
}
