/** A value of a column: the estimated sum of its sources, and the most that they can have together. */
interface ValueSum {
  readonly sum: number;
  readonly most: number;
}

const total = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

/**
 * The sums of several columns, which are of the same sources, so that all columns have the same total: the mean of theirs. Estimates are limited to
 * what is possible before that and after it.
 * @param least of the total
 * @param most of the total
 */
export function balancedSums(
  columns: readonly (readonly ValueSum[])[],
  { least, most }: { readonly least: number; readonly most: number },
): { readonly whole: number; readonly sums: readonly (readonly number[])[] } {
  const limited = columns.map((column) =>
    column.map((of) => ({ ...of, sum: Math.min(Math.max(of.sum, 0), of.most) })),
  );
  const totals = limited.map((column) => total(column.map(({ sum }) => sum)));
  const whole = Math.min(Math.max(total(totals) / totals.length, least), most);
  return { whole, sums: limited.map((column) => scaledTo(column, whole)) };
}

/** What scaling adds past the most of a value goes to the others, in proportion to their room. */
function scaledTo(column: readonly ValueSum[], whole: number): readonly number[] {
  const known = total(column.map(({ sum }) => sum));
  const most = total(column.map((of) => of.most));
  const scaled = column.map((of) => (known > 0 ? (of.sum * whole) / known : (of.most * whole) / most));
  const kept = column.map((of, index) => Math.min(scaled[index] ?? 0, of.most));
  const excess = total(scaled) - total(kept);
  const room = most - total(kept);
  const share = excess > 0 && room > 0 ? Math.min(excess / room, 1) : 0;
  return column.map((of, index) => {
    const own = kept[index] ?? 0;
    return own + (of.most - own) * share;
  });
}
