import { shareRead, type InputFiles } from './input-files';
import { clearState, isSeen, say, showState } from './terminal';

const ON_TERMINAL_MILLISECONDS = 500;
const IN_FILE_MILLISECONDS = 60_000;

/**
 * Shows progress: at a terminal all the time, in a file or pipe with a line every minute.
 * @param state one line, without its end.
 * @returns stops the display.
 */
export function showProgress(state: () => string): () => void {
  if (!isSeen()) {
    const timer = setInterval(() => say(state()), IN_FILE_MILLISECONDS);
    return () => clearInterval(timer);
  }
  const timer = setInterval(() => showState(state()), ON_TERMINAL_MILLISECONDS);
  return () => {
    clearInterval(timer);
    clearState();
  };
}

/**
 * The remaining time if the work goes on at the speed of the latter half of the time since this call: `, 12 s left`. Threads take a while to start and
 * to become fast.
 * @param share of the work that is done, from 0 to 1; null if unknown.
 * @param now in milliseconds.
 */
export function timeLeft(share: () => number | null, now = (): number => performance.now()): () => string {
  const start = now();
  let from = { time: start, done: share() ?? 0 };
  let later: (typeof from)[] = [];
  return () => {
    const [time, done] = [now(), share() ?? 0];
    // The beginning of the latter half; work in few steps may have done nothing since.
    const passed = later.filter((one) => one.time <= (start + time) / 2 && one.done < done);
    from = passed.at(-1) ?? from;
    later = [...later.slice(passed.length), { time, done }];
    if (done <= from.done) return '';
    return `, ${Math.ceil(((time - from.time) * (1 - done)) / (done - from.done) / 1000)} s left`;
  };
}

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
  // The work on sorted events has another speed, measured from its beginning.
  let left = sort === null ? timeLeft(worked, now) : null;
  return () => {
    const share = worked();
    if (share === null) return readToSort(inputs, sort);
    left ??= timeLeft(worked, now);
    return ` (${percent(share)}${left()})`;
  };
}

function readToSort(inputs: readonly InputFiles[], sort: SortCounts | null): string {
  const read = sort === null ? null : shareRead(inputs);
  return read === null ? '' : ` (${percent(read)} read to be sorted)`;
}

const percent = (share: number): string => `${Math.floor(100 * share)} %`;
