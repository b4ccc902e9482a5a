import type { Tour } from './tour';

export interface Origins {
  readonly publisher: string;
  readonly shop: string;
  readonly adtech: string;
}

export interface Demo {
  readonly origins: Origins;
  /** Null when the demo runs without a collector. */
  readonly collector: string | null;
  /** The time on Cointoss's clock, which the visitor may have turned. */
  readonly now: () => Promise<number>;
  readonly tour: Tour;
}

/** The collector's dashboard with sources whose report windows are open by its own clock, which nobody turns. */
export const dashboardOf = (collector: string): string => `${collector}/?open=true`;
