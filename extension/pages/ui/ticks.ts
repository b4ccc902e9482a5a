/** Round numbers from `low` to `high`, about as many as asked for: steps of 1, 2 or 5 times a power of ten. */
export function ticksBetween(low: number, high: number, about: number): readonly number[] {
  const rough = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, index) =>
    // Products of steps like 0.1 are not exact.
    Number(((first + index) * step).toPrecision(12)),
  );
}
