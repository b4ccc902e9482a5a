/** Where the three sites are. */
export interface Origins {
  readonly publisher: string;
  readonly shop: string;
  readonly adtech: string;
}

/** What each site knows of the demo around it. */
export interface Demo {
  readonly origins: Origins;
  /** Null when the demo runs without one. */
  readonly collector: string | null;
}
