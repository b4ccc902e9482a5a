/** A variable of a linear programme: its entry in each row, and its cost per unit. */
export interface Column {
  readonly entries: readonly bigint[];
  readonly cost: bigint;
}

/** Each row's price, and the cost so far, times `denominator`. */
export interface Prices {
  readonly rows: readonly bigint[];
  readonly cost: bigint;
  readonly denominator: bigint;
}

/**
 * Minimises Σ cost·x over x ≥ 0 with Σ entries·x = `rightHandSide`, by the revised simplex method with column generation: `offer`
 * returns a column whose cost is less than its entries are worth at the rows' prices (the lower, the better), or null to end. Over the
 * determinant of the basis the inverse is integral (Edmonds 1967, Bareiss 1968), so nothing is rounded. Lexicographic tie-breaking makes
 * it end if there are finitely many columns (Dantzig, Orden & Wolfe 1955).
 * @param rightHandSide no entry negative.
 * @param start the first basis: column i has a 1 in row i, and is 0 elsewhere.
 * @returns the columns in the solution, with their amounts times `denominator`.
 */
export function minimise<C extends Column>(
  rightHandSide: readonly bigint[],
  start: readonly C[],
  offer: (prices: Prices) => C | null,
): {
  readonly columns: readonly { readonly column: C; readonly amount: bigint }[];
  readonly denominator: bigint;
} {
  const basis = [...start];
  /** Per row: the amount of its basic variable, then its row of the inverse, all times `denominator`. */
  let rows: readonly (readonly bigint[])[] = rightHandSide.map((amount, index) => [
    amount,
    ...rightHandSide.map((_, other) => (index === other ? 1n : 0n)),
  ]);
  let denominator = 1n;
  for (;;) {
    const [cost = 0n, ...prices] = pricesOf(basis, rows);
    const column = offer({ rows: prices, cost, denominator });
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
    columns: basis.map((column, index) => ({ column, amount: rows[index]?.[0] ?? 0n })),
    denominator,
  };
}

/** The costs of the basis times the amounts, and times its inverse. */
const pricesOf = (basis: readonly Column[], rows: readonly (readonly bigint[])[]): bigint[] =>
  [undefined, ...basis].map((_, place) =>
    basis.reduce((sum, { cost }, index) => sum + cost * (rows[index]?.[place] ?? 0n), 0n),
  );

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
