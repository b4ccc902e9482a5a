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
export async function growthOf<Input>(
  make: (size: number) => Input | Promise<Input>,
  run: (input: Input) => unknown,
  largest: number,
): Promise<string | null> {
  for (let size = SMALLEST; size <= largest; size *= STEP) {
    if ((await timeOf(make, run, size)) < MEASURABLE) continue;
    const first = await ratioOf(make, run, size);
    if (first.ratio <= MOST) continue;
    const second = first.ratio > HOPELESS ? first : await ratioOf(make, run, STEP * size);
    if (second.ratio > MOST) return `${first.text}; ${second.text}`;
  }
  return null;
}

async function ratioOf<Input>(
  make: (size: number) => Input | Promise<Input>,
  run: (input: Input) => unknown,
  size: number,
): Promise<{ readonly ratio: number; readonly text: string }> {
  const [quarter, whole] = [await least(make, run, size / STEP), await least(make, run, size)];
  const ratio = whole < MEASURABLE ? 0 : whole / quarter;
  return { ratio, text: `${quarter} ms for ${size / STEP} characters, ${whole} for ${size}` };
}

async function least<Input>(
  make: (size: number) => Input | Promise<Input>,
  run: (input: Input) => unknown,
  size: number,
): Promise<number> {
  let time = Infinity;
  for (let tried = 0; tried < TRIES; tried++) time = Math.min(time, await timeOf(make, run, size));
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
