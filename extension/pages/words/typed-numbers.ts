import type { Json } from '../../../src/model/json';
import { locale } from '../../i18n';

/** Digits that a person still writes, and those that are shown of a longer number. */
const MOST_DIGITS = 10;
const SHOWN_DIGITS = 6;

const point =
  new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** All digits that tell a number from any other one, or all that are given. */
export const exactNumber = (number: number | string): string => String(number).replace('.', point);

/** A number as a person writes it: a long one is rounded, so `readNumber` must get the number that was shown. */
export function writtenNumber(number: number): string {
  const exact = String(number);
  const digits = (exact.split('e', 1)[0] ?? '').replaceAll(/\D/g, '');
  return exactNumber(digits.length <= MOST_DIGITS ? number : Number(number.toPrecision(SHOWN_DIGITS)));
}

const DECIMAL = /^[+-]?[\d.]+(?:e[+-]?\d+)?$/iu;
const ONE_GROUP = /^[+-]?[1-9]\d{0,2}[.,]\d{3}$/u;

/** Whether a sign that is not the decimal sign of the language stands where it separates thousands: 2,000 in English. */
export const isGrouped = (text: string, sign = point): boolean =>
  ONE_GROUP.test(text) && !text.includes(sign);

/**
 * The number that a person wrote, with either decimal sign; the text itself if it is none, is not finite, or may mean two numbers.
 * @param shown numbers whose written form stays what it stands for, digits that are not shown included
 * @param sign the decimal sign of the language
 */
export function readNumber(text: string, shown: readonly number[] = [], sign = point): number | string {
  const before = shown.find((number) => writtenNumber(number) === text);
  if (before !== undefined) return before;
  const decimal = text.replace(',', '.');
  const read = DECIMAL.test(decimal) && !isGrouped(text, sign) ? Number(decimal) : Number.NaN;
  return Number.isFinite(read) ? read : text;
}

/**
 * The numbers of these lines. Each number from before is used once at most. Lines that did not change at the beginning and end keep theirs,
 * so numbers that are written alike do not change places.
 */
export function readNumbers(lines: readonly string[], before: readonly Json[]): readonly (number | string)[] {
  const shown = before.map(asText);
  const fewer = Math.min(lines.length, shown.length);
  let [start, end] = [0, 0];
  while (start < fewer && lines[start] === shown[start]) start += 1;
  while (end < fewer - start && lines.at(-1 - end) === shown.at(-1 - end)) end += 1;
  const unused = new Map<string, number[]>();
  for (const number of before.slice(start, before.length - end))
    if (typeof number === 'number') {
      const written = writtenNumber(number);
      const alike = unused.get(written);
      if (alike === undefined) unused.set(written, [number]);
      else alike.push(number);
    }
  return lines.map((line, index) => {
    const place = index < start ? index : before.length - lines.length + index;
    const same = index < start || index >= lines.length - end ? before[place] : unused.get(line)?.shift();
    return readNumber(line, typeof same === 'number' ? [same] : []);
  });
}

/** A number or text as a field shows it; empty for other values. */
export const asText = (value: Json): string =>
  typeof value === 'number' ? writtenNumber(value) : typeof value === 'string' ? value : '';
