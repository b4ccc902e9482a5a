/** A variable of a linear programme: its entry in each row, and its cost per unit. */
export interface Column {
  readonly entries: readonly bigint[];
  readonly cost: bigint;
}

/** A cost that is compared first by infeasibility, then by cost. */
export interface Price {
  readonly infeasibility: bigint;
  readonly cost: bigint;
}

/** Each row's price times `denominator`. */
export interface RowPrices {
  readonly rows: readonly Price[];
  readonly denominator: bigint;
}

export interface Solution<C extends Column> {
  readonly feasible: boolean;
  /** The columns in the solution, with their amounts times `denominator`. */
  readonly columns: readonly { readonly column: C; readonly amount: bigint }[];
  readonly denominator: bigint;
}

export const isNegative = ({ infeasibility, cost }: Price): boolean =>
  infeasibility < 0n || (infeasibility === 0n && cost < 0n);

/**
 * Minimises Σ cost·x over x ≥ 0 with Σ entries·x = `rightHandSide`, by the revised simplex method with column generation: `offer`
 * returns a column with a negative reduced price (the lower, the better), or null if there is none. Over the determinant of the
 * basis the inverse is integral (Edmonds 1967, Bareiss 1968), so nothing is rounded. The first basis is artificial columns, which
 * cost more than any other. Lexicographic tie-breaking makes it end (Dantzig, Orden & Wolfe 1955).
 * @param rightHandSide no entry negative.
 */
export function minimise<C extends Column>(
  rightHandSide: readonly bigint[],
  offer: (prices: RowPrices) => C | null,
): Solution<C> {
  const basis: (C | null)[] = rightHandSide.map(() => null);
  /** Per row: the amount of its basic variable, then its row of the inverse, all times `denominator`. */
  let rows: readonly (readonly bigint[])[] = rightHandSide.map((amount, index) => [
    amount,
    ...rightHandSide.map((_, other) => (index === other ? 1n : 0n)),
  ]);
  let denominator = 1n;
  for (;;) {
    const column = offer({ rows: rowPrices(basis, rows), denominator });
    if (column === null) break;
    const direction = rows.map((row) => dot(row.slice(1), column.entries));
    const leaving = leavingRow(rows, direction);
    if (leaving === null) throw new RangeError('the costs must be bounded below');
    const [pivot, pivotRow] = leaving;
    const scale = denominator;
    rows = rows.map((row, index) => {
      if (row === pivotRow) return row;
      const factor = direction[index] ?? 0n;
      return row.map((value, place) => (pivot * value - factor * (pivotRow[place] ?? 0n)) / scale);
    });
    basis[rows.indexOf(pivotRow)] = column;
    denominator = pivot;
  }
  return {
    feasible: basis.every((column, index) => column !== null || rows[index]?.[0] === 0n),
    columns: basis.flatMap((column, index) =>
      column === null ? [] : [{ column, amount: rows[index]?.[0] ?? 0n }],
    ),
    denominator,
  };
}

/** The costs of the basis times its inverse. */
function rowPrices(basis: readonly (Column | null)[], rows: readonly (readonly bigint[])[]): Price[] {
  return basis.map((_, place) => {
    const price = { infeasibility: 0n, cost: 0n };
    basis.forEach((column, index) => {
      const entry = rows[index]?.[place + 1] ?? 0n;
      if (column === null) price.infeasibility += entry;
      else price.cost += column.cost * entry;
    });
    return price;
  });
}

/** The row, and its pivot, whose quotient by its entry in the direction is lexicographically least among the positive ones. */
function leavingRow(
  rows: readonly (readonly bigint[])[],
  direction: readonly bigint[],
): readonly [bigint, readonly bigint[]] | null {
  let best: readonly [bigint, readonly bigint[]] | null = null;
  rows.forEach((row, index) => {
    const entry = direction[index] ?? 0n;
    if (entry <= 0n) return;
    if (best === null || isLess(row, entry, best[1], best[0])) best = [entry, row];
  });
  return best;
}

/** Whether a/overA is lexicographically less than b/overB, both divisors positive. */
function isLess(a: readonly bigint[], overA: bigint, b: readonly bigint[], overB: bigint): boolean {
  for (const [place, value] of a.entries()) {
    const difference = value * overB - (b[place] ?? 0n) * overA;
    if (difference !== 0n) return difference < 0n;
  }
  return false;
}

const dot = (a: readonly bigint[], b: readonly bigint[]): bigint =>
  a.reduce((sum, value, index) => sum + value * (b[index] ?? 0n), 0n);
