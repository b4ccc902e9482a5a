/** In characters, about. */
const SMALLEST = 1000;
const STEP = 4;
/** For `STEP` times the input: linear time is 4 times as long, quadratic 16 times. The bound is 3 times for twice the input. */
const MOST = 9;
const MOST_FOR_TWICE = 3;
/** More than quadratic. It is not tried with four times as much. */
const HOPELESS = 32;
/** In ms of processor time. On a loaded machine, less is sometimes several times as long as on another run. */
const SURE = 100;
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
    const found = await confirmed(timeAt, size);
    if (found !== null) return found;
  }
  return null;
}

/** What was measured, if growth is seen at two sizes, of which the larger takes long enough to be sure of. */
async function confirmed(timeAt: (size: number) => Promise<number>, first: number): Promise<string | null> {
  const seen: string[] = [];
  for (let [size, step] = [first, STEP]; ; size *= step) {
    const { ratio, whole, text } = await ratioOf(timeAt, size, step);
    if (ratio <= (step === STEP ? MOST : MOST_FOR_TWICE)) return null;
    seen.push(text);
    if (seen.length > 1 && whole >= SURE) return seen.join('; ');
    step = ratio > HOPELESS || whole >= SURE ? 2 : STEP;
  }
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
  step: number,
): Promise<{ readonly ratio: number; readonly whole: number; readonly text: string }> {
  const [part, whole] = [await least(timeAt, size / step), await least(timeAt, size)];
  const ratio = whole < MEASURABLE ? 0 : whole / part;
  return { ratio, whole, text: `${part} ms for ${size / step}, ${whole} for ${size}` };
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
