/** The numbers from `from` to `to` − 1, and what it costs to keep them together. */
export interface Interval<Cost extends { readonly loss: bigint }> {
  readonly from: number;
  readonly to: number;
  readonly cost: Cost;
}

/** Intervals that cover 0 up to some number, last to first, and the sum of their losses. */
export interface Cut<Cost extends { readonly loss: bigint }> {
  readonly loss: bigint;
  readonly last: Interval<Cost> | null;
  readonly before: Cut<Cost> | null;
}

export const NO_INTERVALS: Cut<never> = { loss: 0n, last: null, before: null };

/**
 * One step of the dynamic programme: the best cover of 0 … `to` − 1 with one more interval than `shorter`, whose entry i covers 0
 * … i − 1. Null if there is none.
 */
export function bestCut<Cost extends { readonly loss: bigint }>(
  shorter: readonly (Cut<Cost> | null)[],
  interval: (from: number, to: number) => Interval<Cost>,
  to: number,
): Cut<Cost> | null {
  let best: Cut<Cost> | null = null;
  for (let from = 0; from < to; from++) {
    const before = shorter[from] ?? null;
    if (before === null) continue;
    const last = interval(from, to);
    const loss = before.loss + last.cost.loss;
    if (best === null || loss < best.loss) best = { loss, last, before };
  }
  return best;
}

export function intervalsOf<Cost extends { readonly loss: bigint }>(whole: Cut<Cost>): Interval<Cost>[] {
  const intervals: Interval<Cost>[] = [];
  for (let cut: Cut<Cost> | null = whole; cut !== null; cut = cut.before)
    if (cut.last !== null) intervals.unshift(cut.last);
  return intervals;
}
