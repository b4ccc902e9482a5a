import { greatest } from '../../numeric/extremes';
import { shareRead, type InputFiles } from './input-files';
import { clearState, isSeen, say, showState } from './terminal';

const ON_TERMINAL_MILLISECONDS = 500;
const IN_FILE_MILLISECONDS = 60_000;
/** Of shorter work, nobody is told how long it still takes: the text would be gone before anybody has used it. */
const LEAST_MILLISECONDS = 10_000;
/** Before, threads start and code becomes fast, so the text would be wrong. */
const BEGINNING_MILLISECONDS = 5000;

/**
 * Shows progress: at a terminal all the time, in a file or pipe with a line every minute.
 * @param state one line, without its end.
 * @returns stops the display.
 */
export function showProgress(state: () => string): () => void {
  if (!isSeen()) {
    // The remaining time follows from how the state changed between looks.
    const looks = setInterval(state, ON_TERMINAL_MILLISECONDS);
    const timer = setInterval(() => say(state()), IN_FILE_MILLISECONDS);
    return () => {
      clearInterval(looks);
      clearInterval(timer);
    };
  }
  const timer = setInterval(() => showState(state()), ON_TERMINAL_MILLISECONDS);
  return () => {
    clearInterval(timer);
    clearState();
  };
}

/** The same for work that leaves timers no time: shows the state at a step that comes long enough after the last one that did. */
export function showSteps(state: () => string): { readonly step: () => void; readonly stop: () => void } {
  const pause = isSeen() ? ON_TERMINAL_MILLISECONDS : IN_FILE_MILLISECONDS;
  let shown = performance.now();
  return {
    step: () => {
      if (performance.now() - shown < pause) return;
      shown = performance.now();
      if (isSeen()) showState(state());
      else say(state());
    },
    stop: () => {
      if (isSeen()) clearState();
    },
  };
}

/** The share of the time whose speed counts: the last part, because threads take a while to start and to become fast. */
export const COUNTED = 1 / 3;

/**
 * The remaining time if the work goes on at the speed of the last third of the time since this call: `, 12 s left`. What is done may grow in steps: until
 * the usual time of one has passed, the next one is on its way.
 * @param share of the work that is done, from 0 to 1; null if unknown.
 * @param now in milliseconds.
 */
export function timeLeft(share: () => number | null, now = (): number => performance.now()): () => string {
  const start = now();
  let steps: readonly { readonly time: number; readonly done: number }[] = [
    { time: start, done: share() ?? 0 },
  ];
  return () => {
    const [time, done] = [now(), share() ?? 0];
    if (done > (steps.at(-1)?.done ?? 0)) steps = [...steps, { time, done }];
    const counted = steps.findLastIndex((step) => step.time <= time - COUNTED * (time - start));
    steps = steps.slice(Math.max(0, Math.min(counted, steps.length - 2)));
    const [from, last] = [steps[0], steps.at(-1)];
    if (from === undefined || last === undefined || done <= from.done) return '';
    const usual = greatest(steps.slice(1).map((step, place) => step.time - (steps[place]?.time ?? 0)));
    const since = Math.min(time - last.time, usual);
    const took = time - since - from.time;
    return leftText(time - start, Math.max(0, (took * (1 - done)) / (done - from.done) - since));
  };
}

/** The remaining time as progress shows it: `, 12 s left`; nothing if it is no number. Both are in milliseconds. */
export const leftText = (passed: number, left: number): string =>
  passed < BEGINNING_MILLISECONDS || passed + left < LEAST_MILLISECONDS || !Number.isFinite(left)
    ? ''
    : // To round up would add a fifth to three and a half seconds, and more to fewer.
      `, ${Math.round(left / 1000)} s left`;

/** How many events went into a sort, and how many came back in order. */
export interface SortCounts {
  readonly unsorted: number;
  readonly sorted: number;
}

/**
 * How much of an input has been read, and the remaining time. With a sort, the work begins after everything was read: from then on the
 * share is that of the sorted events that the work has taken back.
 * @param sort null: the input is worked on as it is read.
 */
export function readingProgress(
  inputs: readonly InputFiles[],
  sort: SortCounts | null = null,
  now = (): number => performance.now(),
): () => string {
  const worked = (): number | null =>
    sort === null ? shareRead(inputs) : sort.sorted === 0 ? null : sort.sorted / sort.unsorted;
  if (sort === null) return workProgress(worked, now);
  // The work on sorted events has another speed, measured from its beginning.
  let progress: (() => string) | null = null;
  return () => {
    if (worked() === null) return readToSort(inputs);
    progress ??= workProgress(worked, now);
    return progress();
  };
}

/** Which share of the work is done, and the remaining time: ` (43 %, 12 s left)`. @param share from 0 to 1; null if unknown. */
export function workProgress(share: () => number | null, now?: () => number): () => string {
  const left = timeLeft(share, now);
  return () => {
    const done = share();
    return done === null ? '' : ` (${percent(done)}${left()})`;
  };
}

function readToSort(inputs: readonly InputFiles[]): string {
  const read = shareRead(inputs);
  return read === null ? '' : ` (${percent(read)} read to be sorted)`;
}

export const percent = (share: number): string => `${Math.floor(100 * share)} %`;
