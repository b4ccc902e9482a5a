const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A time of Cointoss's clock for people. */
export const showTime = (time: number): string => dateTime.format(time);

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
  const count = Math.round(milliseconds / size);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

export const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** What a banner says of the differences from production. */
export function bannerText(differences: readonly string[], clockAhead: number): string {
  return differences
    .map((difference) =>
      difference === 'clock turned forward' ? `clock ${showDuration(clockAhead)} ahead` : difference,
    )
    .join(' · ');
}
