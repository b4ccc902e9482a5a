import type { Shortfall } from '../../analysis/estimate/shortfall';

/** The JSON of estimates, as analysis/estimate/result-json.ts makes it. */
export interface EstimateResultJson {
  readonly level: number;
  readonly randomness: string;
  /** Sources with a report window that ends later are left out. */
  readonly as_of: string;
  /** How many seconds to wait for due reports; null where the request gave `as_of`. */
  readonly grace: number | null;
  readonly sources: Readonly<Record<string, number>>;
  readonly reports: { readonly inconsistent: Readonly<Record<string, number>> } & Readonly<
    Record<string, number | object>
  >;
  readonly configurations: readonly ConfigurationJson[];
}

export interface ConfigurationJson {
  readonly configuration: string;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly outputs: string;
  readonly replace_probability: number | null;
  readonly shortfall: Shortfall | null;
  readonly groups: readonly GroupJson[];
}

export interface GroupJson {
  readonly group: Readonly<Record<string, string>>;
  readonly sources: number;
  readonly estimates: readonly EstimateJson[];
}

export interface EstimateJson {
  readonly quantity: string;
  readonly trigger_data?: number;
  readonly window_end?: number;
  readonly bucket?: readonly [number, number];
  readonly state?: string;
  readonly value?: number;
  readonly values?: readonly number[];
  readonly observed: number | null;
  readonly noise: number | null;
  readonly noise_share: number | null;
  readonly estimate: number | null;
  readonly variance: number | null;
  readonly interval: readonly [number | null, number | null];
  readonly consistent?: number | null;
}
