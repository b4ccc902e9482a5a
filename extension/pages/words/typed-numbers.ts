import type { Json } from '../../../src/model/json';
import { locale } from '../../i18n';

/** Digits that a person still writes, and those that are shown of a longer number. */
const MOST_DIGITS = 10;
const SHOWN_DIGITS = 6;

const point =
  new Intl.NumberFormat(locale).formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.';

/** All digits that tell a number from any other one. */
export const exactNumber = (number: number): string => String(number).replace('.', point);

/** A number as a person writes it: a long one is rounded, so `readNumber` must get the number that was shown. */
export function writtenNumber(number: number): string {
  const exact = String(number);
  const digits = (exact.split('e', 1)[0] ?? '').replaceAll(/\D/g, '');
  return exactNumber(digits.length <= MOST_DIGITS ? number : Number(number.toPrecision(SHOWN_DIGITS)));
}

/**
 * The number that a person wrote, with either decimal sign; the text itself if it is none.
 * @param shown numbers whose written form stays what it stands for, digits that are not shown included
 */
export function readNumber(text: string, shown: readonly number[] = []): number | string {
  const before = shown.find((number) => writtenNumber(number) === text);
  const read = Number(text.replace(',', '.'));
  return before ?? (text === '' || Number.isNaN(read) ? text : read);
}

/** A number or text as a field shows it; empty for other values. */
export const asText = (value: Json): string =>
  typeof value === 'number' ? writtenNumber(value) : typeof value === 'string' ? value : '';
