/** In characters. */
const SMALLEST = 1000;
const STEP = 4;
/** For `STEP` times the input: linear time is 4 times as long, quadratic 16 times. The bound is 3 times for twice the input. */
const MOST = 9;
/** More than quadratic. It is not tried with more. */
const HOPELESS = 32;
/** In ms of processor time. What takes less at the largest input delays nobody, whatever its growth. */
const MEASURABLE = 8;
const TRIES = 5;

/**
 * Says where the time of `run` grows by more than 3 times for twice the input; null if nowhere up to `largest`. The size grows until the
 * time is measurable. From there on, it is compared with that of a quarter of the input: each is the least processor time of several tries,
 * so other programs count little, and each try has an input of its own, so caches do not help. Growth counts if four times the size shows it,
 * too, because a collection of garbage happens at some sizes only.
 *
 * Noise can only lengthen a try. To fail a linear function it must more than double all 5 tries with the larger input, in both rounds: at a
 * chance of 1 in 10 for each try, which is far more than was ever seen, that is 10^-10. To pass a quadratic one, all 5 tries with the
 * smaller input must be nearly doubled.
 */
export const growthOf = <Input>(
  make: (size: number) => Input | Promise<Input>,
  run: (input: Input) => unknown,
  largest: number,
): Promise<string | null> => growthBetween((size) => timeOf(make, run, size), SMALLEST, largest);

/** As `growthOf`. @param timeAt the processor time of one try with an input of this size, in ms */
export async function growthBetween(
  timeAt: (size: number) => Promise<number>,
  smallest: number,
  largest: number,
): Promise<string | null> {
  for (let size = smallest; size <= largest; size *= STEP) {
    if ((await timeAt(size)) < MEASURABLE) continue;
    const first = await ratioOf(timeAt, size);
    if (first.ratio <= MOST) continue;
    const second = first.ratio > HOPELESS ? first : await ratioOf(timeAt, STEP * size);
    if (second.ratio > MOST) return `${first.text}; ${second.text}`;
  }
  return null;
}

async function ratioOf(
  timeAt: (size: number) => Promise<number>,
  size: number,
): Promise<{ readonly ratio: number; readonly text: string }> {
  const [quarter, whole] = [await least(timeAt, size / STEP), await least(timeAt, size)];
  const ratio = whole < MEASURABLE ? 0 : whole / quarter;
  return { ratio, text: `${quarter} ms for ${size / STEP}, ${whole} for ${size}` };
}

async function least(timeAt: (size: number) => Promise<number>, size: number): Promise<number> {
  let time = Infinity;
  for (let tried = 0; tried < TRIES; tried++) time = Math.min(time, await timeAt(size));
  return time;
}

async function timeOf<Input>(
  make: (size: number) => Input | Promise<Input>,
  run: (input: Input) => unknown,
  size: number,
): Promise<number> {
  const input = await make(size);
  const before = process.cpuUsage();
  const result = run(input);
  if (result instanceof Promise) await result;
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
