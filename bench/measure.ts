/** Milliseconds per call: the median of batches that are long enough for the clock's resolution. */
function medianMilliseconds(work: () => unknown, batches = 15, batchMilliseconds = 40): number {
  let perBatch = 1;
  for (;;) {
    const elapsed = time(work, perBatch);
    if (elapsed >= batchMilliseconds) break;
    perBatch = elapsed < 1 ? perBatch * 10 : Math.ceil((perBatch * batchMilliseconds * 1.2) / elapsed);
  }
  return median(Array.from({ length: batches }, () => time(work, perBatch) / perBatch));
}

/** Expects an odd number of values. */
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

function time(work: () => unknown, repetitions: number): number {
  const start = performance.now();
  for (let i = 0; i < repetitions; i++) work();
  return performance.now() - start;
}

/** Compares two implementations within one run, because machines differ and timings vary. */
export function compare(title: string, ours: () => unknown, theirs: () => unknown, other: string): void {
  const [mine, yours] = [medianMilliseconds(ours), medianMilliseconds(theirs)];
  console.log(title);
  console.log(`  cointoss  ${show(mine)}`);
  console.log(`  ${other}  ${show(yours)}`);
  console.log(`  ratio     ${(yours / mine).toPrecision(3)}\n`);
}

const show = (milliseconds: number): string => `${(milliseconds * 1000).toPrecision(4)} µs a call`;
