export interface Origins {
  readonly publisher: string;
  readonly shop: string;
  readonly adtech: string;
}

export interface Demo {
  readonly origins: Origins;
  /** Null when the demo runs without a collector. */
  readonly collector: string | null;
}
