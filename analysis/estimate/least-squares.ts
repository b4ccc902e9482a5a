/** An estimate of the sum of some unknowns. */
export interface SumEstimate {
  /** The numbers of the unknowns. */
  readonly of: readonly number[];
  readonly estimate: number;
  /** Greater than 0. */
  readonly variance: number;
}

const MAX_SWEEPS = 10_000;

/**
 * The unknowns within [0, most] that best fit the estimates of their sums: the least Σ (sum − estimate)²/variance. Sets each unknown in
 * turn to its best value given the others, until none changes. The problem is convex, so this converges to the optimum.
 * @param most the greatest value of each unknown.
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

/** The estimate of one part of a sum. */
export interface Part {
  readonly estimate: number;
  readonly variance: number;
  /** Its greatest possible value. */
  readonly most: number;
}

/**
 * Moves the parts into [0, most] and to a sum with the least Σ (change)²/variance: each part moves by its variance times a common amount,
 * as far as it can. (For equal variances this is "norm-sub" of Wang, Lopuhaä-Zwakenberg, Li, Skoric & Li 2020, "Locally differentially
 * private frequency estimation with consistency".) Clamps a sum that the parts cannot reach.
 */
export function bringToSum(parts: readonly Part[], sum: number): readonly number[] {
  const at = (give: number): number[] =>
    parts.map(({ estimate, variance, most }) => clamp(estimate - give * variance, most));
  const total = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);
  // The range of amounts: from all parts at their greatest to all at 0.
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

/** The non-increasing sequence nearest to the values in least squares; its sum is the same (pool adjacent violators). */
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
