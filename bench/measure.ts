/** Expects an odd number of values. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

/** Holds the median that the values are drawn from with at least 95 %, however they are distributed. Expects six values or more. */
export function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = [...values].sort((a, b) => a - b);
  const { length } = sorted;
  // A value is below that median with probability 1/2. The chance that at most `rank` of them are:
  let rank = 0;
  let ways = 1;
  for (let chance = 2 ** -length; chance <= 0.025; chance += ways * 2 ** -length)
    ways *= (length - rank++) / rank;
  return [sorted[rank - 1] ?? NaN, sorted[length - rank] ?? NaN];
}

/**
 * Processor time of several kinds of work, in turns, so that each finds the processor's caches as the others left them: the median of batches.
 * @param prepare makes one batch of each kind.
 * @param size how much a batch does.
 * @param batches an odd number; as many warm up.
 * @returns microseconds for one of a batch, by kind.
 */
export function microsecondsInTurns(
  prepare: () => readonly (() => void)[],
  size: number,
  batches = 51,
): readonly number[] {
  const nothing = (): void => undefined;
  const spent: number[][] = [];
  for (let batch = -batches; batch < batches; batch++)
    [nothing, ...prepare()].forEach((work, kind) => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      if (batch >= 0) (spent[kind] ??= []).push(user + system);
    });
  const [measuring = 0, ...times] = spent.map(median);
  return times.map((time) => (time - measuring) / size);
}
