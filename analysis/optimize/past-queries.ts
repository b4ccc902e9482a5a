/** How often past conversions had this value and this rank among the conversions of their source. */
export interface PastValue {
  /** 1 for the first conversion of the source. */
  readonly rank: number;
  readonly value: number;
  readonly count: number;
}

/** What a query adds up, and the columns by which it slices the sum. */
export interface Query {
  /** A column with values; null counts conversions. */
  readonly measure: string | null;
  /** The columns that make its slices. */
  readonly slices: readonly string[];
}

/** A query's past conversions, by slice. */
export interface PastQuery {
  readonly query: Query;
  /** Each with ascending values. */
  readonly slices: readonly (readonly PastValue[])[];
}

/** Collects past conversions one by one. Memory grows with the number of sources and of different values in each slice. */
export class PastQueries {
  private readonly ranks = new Map<string, number>();
  private readonly found: readonly Map<string, Map<string, PastValue>>[];

  constructor(private readonly queries: readonly Query[]) {
    this.found = queries.map(() => new Map<string, Map<string, PastValue>>());
  }

  /**
   * @param source the source of the conversion; null: a separate source.
   * @param cell what a column says.
   * @param valueOf the number in a column, at least 0.
   */
  add(source: string | null, cell: (column: string) => string, valueOf: (column: string) => number): void {
    const rank = source === null ? 1 : (this.ranks.get(source) ?? 0) + 1;
    if (source !== null) this.ranks.set(source, rank);
    this.queries.forEach(({ measure, slices }, index) => {
      const value = measure === null ? 1 : valueOf(measure);
      const bySlice = this.found[index];
      const name = JSON.stringify(slices.map(cell));
      const values = bySlice?.get(name) ?? new Map<string, PastValue>();
      bySlice?.set(name, values);
      const key = `${rank} ${value}`;
      values.set(key, { rank, value, count: (values.get(key)?.count ?? 0) + 1 });
    });
  }

  result(): readonly PastQuery[] {
    return this.queries.map((query, index) => ({
      query,
      slices: [...(this.found[index]?.values() ?? [])].map((values) =>
        [...values.values()].sort((a, b) => a.value - b.value),
      ),
    }));
  }
}
