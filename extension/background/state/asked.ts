import type { Moment } from '../../../src/model/units';

/** When a page, server or person asked for something. */
export interface Asked {
  /** How many erasures came before for certain, by the numbers of `Erasures`. */
  readonly erasures: number;
  /** Null if nobody saw it. */
  readonly time: Moment | null;
}
