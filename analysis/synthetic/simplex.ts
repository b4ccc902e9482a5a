/**
 * The nearest numbers of at least 0 with this total, by squared distance (Duchi et al. 2008): the same is taken from all, and what would be below 0
 * becomes 0.
 */
export function onSimplex(numbers: readonly number[], total: number): readonly number[] {
  if (total <= 0) return numbers.map(() => 0);
  let [sum, taken] = [0, 0];
  const sorted = [...numbers].sort((a, b) => b - a);
  for (const [index, number] of sorted.entries()) {
    sum += number;
    const next = (sum - total) / (index + 1);
    if (number <= next) break;
    taken = next;
  }
  return numbers.map((number) => Math.max(0, number - taken));
}

/** Whole numbers near these with their rounded sum, by the largest remainders. */
export function apportioned(numbers: readonly number[]): readonly number[] {
  const whole = numbers.map(Math.floor);
  const missing =
    Math.round(numbers.reduce((sum, number) => sum + number, 0)) - whole.reduce((a, b) => a + b, 0);
  const order = numbers
    .map((number, index) => ({ index, rest: number - Math.floor(number) }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index);
  for (const { index } of order.slice(0, Math.max(missing, 0))) whole[index] = (whole[index] ?? 0) + 1;
  return whole;
}
