import type { Moment } from '../../../src/model/units';

/** When a page, server or person asked for something. */
export interface Asked {
  /** How many erasures came before. */
  readonly erasures: number;
  readonly time: Moment;
}
