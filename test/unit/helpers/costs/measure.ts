/** In characters, about. */
const SMALLEST = 1000;
const STEP = 4;
/** For `STEP` times the input: linear time is 4 times as long, quadratic 16 times. The bound is 3 times for twice the input. */
const MOST = 9;
const MOST_FOR_TWICE = 3;
/** More than quadratic. It is not tried with four times as much. */
const HOPELESS = 32;
/** In ms of processor time. What takes less at the largest input delays nobody, whatever its growth. */
const MEASURABLE = 8;
const TRIES = 5;
/** Of the smaller input, before the growth looks too fast. */
const FIRST_TRIES = 3;

/**
 * Says where the time of `run` grows by more than 3 times for twice the input; null if nowhere up to `largest`. The size grows until the
 * time is measurable. From there on, it is compared with that of a quarter of the input. If one try with the input takes more than 9 times the
 * least of three with its quarter, both are measured again: each is then the least processor time of five tries, so other programs count
 * little, and each try has an input of its own, so caches do not help. Growth counts if a larger size shows it,
 * too, because a collection of garbage happens at some sizes only.
 *
 * Noise can only lengthen a try. To fail a linear function it must more than double all 5 tries with the larger input, in both rounds: at a
 * chance of 1 in 10 for each try, which is far more than was ever seen, that is 10^-10. To pass a quadratic one, all 3 tries with the
 * smaller input must be nearly doubled, at each size.
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
  for (const size of sizesBetween(smallest, largest)) {
    const once = await timeAt(size);
    if (once < MEASURABLE || once <= MOST * (await least(timeAt, size / STEP, FIRST_TRIES))) continue;
    const first = await ratioOf(timeAt, size);
    if (first.ratio <= MOST) continue;
    const isHopeless = first.ratio > HOPELESS;
    const second = await ratioOf(timeAt, isHopeless ? 2 * size : STEP * size, isHopeless ? 2 : STEP);
    if (second.ratio > (isHopeless ? MOST_FOR_TWICE : MOST)) return `${first.text}; ${second.text}`;
  }
  return null;
}

/** From some `smallest` to `largest`. */
function sizesBetween(smallest: number, largest: number): readonly number[] {
  const sizes = [largest];
  for (let size = largest / STEP; size >= smallest / 2; size /= STEP) sizes.unshift(size);
  return sizes;
}

async function ratioOf(
  timeAt: (size: number) => Promise<number>,
  size: number,
  step = STEP,
): Promise<{ readonly ratio: number; readonly text: string }> {
  const [part, whole] = [await least(timeAt, size / step), await least(timeAt, size)];
  const ratio = whole < MEASURABLE ? 0 : whole / part;
  return { ratio, text: `${part} ms for ${size / step}, ${whole} for ${size}` };
}

async function least(
  timeAt: (size: number) => Promise<number>,
  size: number,
  tries = TRIES,
): Promise<number> {
  let time = Infinity;
  for (let tried = 0; tried < tries; tried++) {
    // What others have left to collect, where Node lets it be collected now.
    if (tries === TRIES) globalThis.gc?.();
    time = Math.min(time, await timeAt(size));
  }
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
