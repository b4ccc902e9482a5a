/** In characters, about. */
const SMALLEST = 1000;
const STEP = 4;
/** For `STEP` times the input: linear time is 4 times as long, quadratic 16 times. The bound is 3 times for twice the input. */
const MOST = 9;
const MOST_FOR_TWICE = 3;
/** Less than linear: what takes as long whatever the input, such as the start of a command. */
const FLAT = 2;
/** More than quadratic. It is not tried with four times as much. */
const HOPELESS = 32;
/** In ms of processor time. On a loaded machine, less is sometimes several times as long as on another run. */
const SURE = 100;
/** So much is sure at the second size. Less is what a third decides: where an input leaves a cache of the processor, linear time has it. */
const CLEAR_FOR_TWICE = 3.5;
/** In ms of processor time. What takes less at the largest input delays nobody, whatever its growth. */
const MEASURABLE = 8;
const TRIES = 5;
/** Before the growth looks too fast. All garbage is then collected before each try, which takes longer than most tries. */
const FIRST_TRIES = 3;

/**
 * Says where the time of `run` grows by more than 3 times for twice the input; null if nowhere up to `largest`. The size grows until the
 * time is measurable. From there on, it is compared with that of a quarter of the input: if it is not even twice as long, at once. If one try with the
 * input takes more than 9 times the least of three with its quarter, and so does the least of three more, both are measured again: each is then the least processor time of five
 * tries, so other programs count little, and each try has an input of its own, so caches do not help. Growth counts if a larger size shows it,
 * too, because a collection of garbage happens at some sizes only.
 *
 * Noise can only lengthen a try. To fail a linear function it must more than double all 5 tries with the larger input, in both rounds: at a
 * chance of 1 in 10 for each try, which is far more than was ever seen, that is 10^-10. To pass a quadratic one, all 3 tries with the
 * smaller input must be nearly doubled, or the first take eight times as long, at each size.
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
    if (once < MEASURABLE) continue;
    const part = await timeAt(size / STEP);
    if (once < FLAT * part) continue;
    const most = MOST * Math.min(part, await least(timeAt, size / STEP, FIRST_TRIES - 1));
    if (once <= most || (await least(timeAt, size, FIRST_TRIES)) <= most) continue;
    const found = await confirmed(timeAt, size);
    if (found !== null) return found;
  }
  return null;
}

/**
 * What was measured, if growth is seen at two sizes, or three, of which the largest takes long enough to be sure of. Each size counts with the least of
 * all its tries: where garbage is collected in all five of one round, it may not be in those of the next.
 */
async function confirmed(timeAt: (size: number) => Promise<number>, first: number): Promise<string | null> {
  const times = new Map<number, number>();
  const measure = async (size: number): Promise<number> => {
    const time = Math.min(times.get(size) ?? Infinity, await least(timeAt, size));
    times.set(size, time);
    return time;
  };
  const seen: { readonly size: number; readonly step: number }[] = [];
  const timesOf = ({ size, step }: (typeof seen)[number]): readonly [number, number] => [
    times.get(size / step) ?? NaN,
    times.get(size) ?? NaN,
  ];
  for (let [size, step] = [first, STEP]; ; size *= step) {
    const [part, whole] = [await measure(size / step), await measure(size)];
    seen.push({ size, step });
    if (!seen.every((one) => isGrowth(timesOf(one), one.step))) return null;
    const isEnough =
      seen.length > 2 || (seen.length > 1 && whole / part > (step === STEP ? MOST : CLEAR_FOR_TWICE));
    if (isEnough && whole >= SURE)
      return seen
        .map((one) => [timesOf(one), one.size / one.step, one.size] as const)
        .map(([[ofPart, ofWhole], from, to]) => `${ofPart} ms for ${from}, ${ofWhole} for ${to}`)
        .join('; ');
    step = whole / part > HOPELESS || whole >= SURE ? 2 : STEP;
  }
}

const isGrowth = ([part = NaN, whole = NaN]: readonly number[], step: number): boolean =>
  whole >= MEASURABLE && whole / part > (step === STEP ? MOST : MOST_FOR_TWICE);

/** From some `smallest` to `largest`. */
function sizesBetween(smallest: number, largest: number): readonly number[] {
  const sizes = [largest];
  for (let size = largest / STEP; size >= smallest / 2; size /= STEP) sizes.unshift(size);
  return sizes;
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

export async function timeOf<Input>(
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
