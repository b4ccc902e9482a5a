const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dateAndSeconds = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const grouped = new Intl.NumberFormat(undefined);

/** A time of Cointoss's clock for people. */
export const showTime = (time: number): string => dateTime.format(time);
export const showExactTime = (time: number): string => dateAndSeconds.format(time);

export const showNumber = (number: number): string => grouped.format(number);

const units: readonly (readonly [name: string, milliseconds: number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

/** "2 days", "1 hour", with the largest unit that fits; less than a second is "now". */
export function showDuration(milliseconds: number): string {
  const [name, size] = units.find(([, length]) => milliseconds >= length) ?? [];
  if (name === undefined || size === undefined) return 'now';
  return count(Math.round(milliseconds / size), name);
}

/** "in 2 days", "3 hours ago", "now". */
export function showDistance(from: number, to: number): string {
  const words = showDuration(Math.abs(to - from));
  if (words === 'now') return words;
  return to > from ? `in ${words}` : `${words} ago`;
}

export const count = (number: number, noun: string): string =>
  `${showNumber(number)} ${number === 1 ? noun : plural(noun)}`;

const plural = (noun: string): string => (noun.endsWith('try') ? `${noun.slice(0, -1)}ies` : `${noun}s`);

/** What a banner says of the differences from production. */
export const bannerText = (differences: readonly string[], clockAhead: number): string =>
  differences
    .map((difference) =>
      difference === 'clock turned forward' ? `clock ${showDuration(clockAhead)} ahead` : difference,
    )
    .join(' · ');

/** A site or origin without what every one begins with; `http` is worth saying. */
export const bare = (origin: string): string => origin.replace(/^https:\/\//, '');

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
