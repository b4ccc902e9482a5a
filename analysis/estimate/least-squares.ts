/** What was estimated of a sum of some of the unknowns. */
export interface SumEstimate {
  /** The unknowns, by number. */
  readonly of: readonly number[];
  readonly estimate: number;
  /** Greater than 0. */
  readonly variance: number;
}

const MAX_SWEEPS = 10_000;

/**
 * The unknowns within [0, most] that fit the estimates of their sums best: the least Σ (sum − estimate)²/variance. Each unknown in
 * turn is set to its best value given the others, until none changes; the problem is convex, so that this ends at the optimum.
 * @param most for each unknown, the greatest value it can have.
 */
export function fitSums(sums: readonly SumEstimate[], most: readonly number[]): readonly number[] {
  const partOf: number[][] = most.map(() => []);
  sums.forEach(({ of }, sum) => {
    for (const unknown of of) partOf[unknown]?.push(sum);
  });
  const weights = sums.map(({ variance }) => 1 / variance);
  const precision = partOf.map((own) => own.reduce((total, sum) => total + (weights[sum] ?? 0), 0));
  const missing = sums.map(({ estimate }) => estimate);
  const values = most.map(() => 0);
  const scale = Math.max(...sums.map(({ estimate }) => Math.abs(estimate)), Number.MIN_VALUE);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    let greatest = 0;
    partOf.forEach((own, unknown) => {
      const pull = own.reduce((total, sum) => total + (missing[sum] ?? 0) * (weights[sum] ?? 0), 0);
      const value = values[unknown] ?? 0;
      const next = clamp(value + pull / (precision[unknown] ?? 1), most[unknown] ?? 0);
      const change = next - value;
      if (change === 0) return;
      values[unknown] = next;
      for (const sum of own) missing[sum] = (missing[sum] ?? 0) - change;
      greatest = Math.max(greatest, Math.abs(change));
    });
    if (greatest <= 1e-10 * scale) break;
  }
  return values;
}

const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most);

/** A part of a sum: what is estimated of it, and how well. */
export interface Part {
  readonly estimate: number;
  readonly variance: number;
  /** More than this it cannot be. */
  readonly most: number;
}

/**
 * The parts brought into [0, most] and to a sum, at the least Σ (change)²/variance: each gives way by its variance times a common
 * amount, as far as it can. (For equal variances this is "norm-sub" of Wang, Lopuhaä-Zwakenberg, Li, Skoric & Li 2020, "Locally
 * differentially private frequency estimation with consistency".) A sum that the parts cannot have is brought into their range.
 */
export function bringToSum(parts: readonly Part[], sum: number): readonly number[] {
  const at = (give: number): number[] =>
    parts.map(({ estimate, variance, most }) => clamp(estimate - give * variance, most));
  const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  // Between the amounts at which all parts are at their most and at 0.
  const amounts = parts.flatMap(({ estimate, variance, most }) =>
    variance > 0 ? [(estimate - most) / variance, estimate / variance] : [],
  );
  if (amounts.length === 0) return at(0);
  let [low, high] = [Math.min(...amounts), Math.max(...amounts)];
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (total(at(middle)) > sum) low = middle;
    else high = middle;
  }
  return at(high);
}

/** The never rising sequence nearest to the values in least squares; it keeps their sum (pool adjacent violators). */
export function neverRising(values: readonly number[]): readonly number[] {
  const blocks: { sum: number; count: number }[] = [];
  for (const value of values) {
    let block = { sum: value, count: 1 };
    for (
      let before = blocks.at(-1);
      before !== undefined && before.sum * block.count < block.sum * before.count;
      before = blocks.at(-1)
    ) {
      block = { sum: block.sum + before.sum, count: block.count + before.count };
      blocks.pop();
    }
    blocks.push(block);
  }
  return blocks.flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count));
}
