import { between, moment, type Moment } from './units';

/** When something last happened. */
interface LastTime<Key extends string> {
  readonly of: Key;
  readonly time: Moment;
}

/** One entry for each key. Limits keep these lists short, and a short list takes less memory and time than a map. */
export type LastTimes<Key extends string> = readonly LastTime<Key>[];

/** What happened within the window before `now`, or after `now`, because the clock was set back. @param window in ms */
export function recentOf<Key extends string>(
  times: LastTimes<Key>,
  window: number,
  now: Moment,
): LastTimes<Key> {
  for (const { time } of times)
    if (between(time, now) >= window) return times.filter((one) => between(one.time, now) < window);
  // Mostly nothing is older, and no copy is made.
  return times;
}

/** How many there are, and these. @param more without repetitions. */
export function countWith<Key extends string>(recent: LastTimes<Key>, more: readonly Key[]): number {
  let count = recent.length;
  for (const key of more) if (!recent.some(({ of }) => of === key)) count += 1;
  return count;
}

/** With a time of some keys, unless theirs are later. */
export function withLast<Key extends string>(
  times: LastTimes<Key>,
  keys: readonly Key[],
  time: Moment,
): LastTimes<Key> {
  const all = [...times];
  for (const of of keys) {
    const place = all.findIndex((one) => one.of === of);
    const before = all[place];
    if (before === undefined) all.push({ of, time });
    else if (before.time < time) all[place] = { of, time };
  }
  return all;
}

/** The latest of all; 0 if there is none. */
export function latest(times: readonly { readonly time: Moment }[]): Moment {
  let last = moment(0);
  for (const { time } of times) if (time > last) last = time;
  return last;
}
