import type { TimeUnit } from '../../../src/model/mechanisms';
import type { Difference } from '../../messages';
import { locale, t } from '../../i18n';
import type { ShownCondition } from './shown-conditions';

export { bare } from '../../../ui/bare';

/** Made when first used: one takes a browser longer than all else that a page without it does to start. */
function lazily<Format>(make: () => Format): () => Format {
  let made: Format | undefined;
  return () => (made ??= make());
}
const dateFormat = (options: Intl.DateTimeFormatOptions): (() => Intl.DateTimeFormat) =>
  lazily(() => new Intl.DateTimeFormat(locale, options));
const numberFormat = (options?: Intl.NumberFormatOptions): (() => Intl.NumberFormat) =>
  lazily(() => new Intl.NumberFormat(locale, options));
const listFormat = (type: Intl.ListFormatType): (() => Intl.ListFormat) =>
  lazily(() => new Intl.ListFormat(locale, { type }));

const dateTime = dateFormat({ dateStyle: 'medium', timeStyle: 'short' });
const dateAndSeconds = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' });
const shortDateTime = dateFormat({ dateStyle: 'short', timeStyle: 'short' });
const withinYear = dateFormat({ month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' });
const grouped = numberFormat();
const decimals = numberFormat({ maximumSignificantDigits: 17, useGrouping: false });

/** A time of Cointoss's clock, in ms, in the reader's format. */
export const showTime = (time: number): string => dateTime().format(time);
export const showExactTime = (time: number): string => dateAndSeconds().format(time);

/** For tables, which have little room: without seconds, and without the year if it is this one. */
export const showShortTime = (time: number): string =>
  (new Date(time).getFullYear() === new Date().getFullYear() ? withinYear() : shortDateTime()).format(time);

export const showNumber = (number: number): string => grouped().format(number);

/** Significant digits without trailing zeros; 17 gives all of a double. Tiny numbers look as in JavaScript. */
export function showDecimal(number: number, digits = 17): string {
  const rounded = Number(number.toPrecision(digits));
  return rounded !== 0 && Math.abs(rounded) < 1e-6 ? String(rounded) : decimals().format(rounded);
}

/** At most this number, with so many significant digits: what is shown of a limit must be within it. */
export function roundedDown(number: number, digits: number): number {
  const nearest = Number(number.toPrecision(digits));
  const step = 10 ** (Math.floor(Math.log10(Math.abs(number))) + 1 - digits);
  return nearest <= number ? nearest : Number((number - step).toPrecision(digits));
}

/** With so many digits after the point, and no sign of a number that rounds to 0. */
export const showRounded = (number: number, digits: number): string =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: digits, signDisplay: 'negative' }).format(number);

const groupedDecimals = numberFormat({ maximumSignificantDigits: 17 });

/** For sentences: all digits, and thousands apart. */
export const showInSentence = (number: number): string => groupedDecimals().format(number);

const short = numberFormat({ maximumSignificantDigits: 4 });

export const showShort = (number: number): string => short().format(number);

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

const durations = new Map(
  units.map(([unit]) => [
    unit,
    numberFormat({ style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 }),
  ]),
);
const distances = lazily(() => new Intl.RelativeTimeFormat(locale));

/** The largest unit that fits; undefined below a second. */
const unitOf = (milliseconds: number): (typeof units)[number] | undefined =>
  units.find(([, length]) => milliseconds >= length);

/** "2 days", "1 hour", "less than a second". */
export function showDuration(milliseconds: number): string {
  const [unit, length] = unitOf(milliseconds) ?? [];
  return unit === undefined
    ? t('under_a_second')
    : (durations
        .get(unit)?.()
        .format(milliseconds / length) ?? '');
}

/** "1 hour", "2.5 days". */
export const showTimeIn = (unit: TimeUnit, number: number, digits = 17): string =>
  new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: unit.slice(0, -1),
    unitDisplay: 'long',
    maximumSignificantDigits: digits,
  }).format(number);

/** "in 2 days", "3 hours ago", "now". */
export function showDistance(from: number, to: number): string {
  const [unit, length] = unitOf(Math.abs(to - from)) ?? [];
  return unit === undefined ? t('now') : distances().format(Math.round((to - from) / length), unit);
}

const conjunction = listFormat('conjunction');
const disjunction = listFormat('disjunction');

/** "a, b, and c". */
export const allOf = (items: readonly string[]): string => conjunction().format(items);
/** "a, b, or c". */
export const anyOf = (items: readonly string[]): string => disjunction().format(items);

const conditionsInWords: Readonly<Record<ShownCondition['id'], string>> = {
  'noise-off': t('words_noise_off'),
  'delay-off': t('words_delay_off'),
  'noise-seeded': t('words_noise_seeded'),
  'clock-stopped': t('words_clock_stopped'),
  'clock-moved': t('words_clock_turned'),
  'state-forced': t('tables_source_forced'),
  'null-reports-forced': t('words_null_reports_forced'),
  'limits-changed': t('words_limits_changed'),
  'debug-mode': t('words_recorded_in_debug_mode'),
};
const wordsByCondition: ReadonlyMap<string, string> = new Map(Object.entries(conditionsInWords));

/** The words for a debug condition's id, by which tables are filtered. Unknown ids, as in a file of a later version, are returned as they are. */
export const conditionWords = (id: string): string => wordsByCondition.get(id) ?? id;

export function differenceWords(difference: Difference | ShownCondition): string {
  if (difference.id === 'clock-moved')
    return t('words_clock_ahead', { duration: showDuration(difference.by) });
  if (difference.id === 'records-ahead')
    return t('words_records_ahead', { duration: showDuration(difference.by) });
  if (difference.id === 'next-state-forced') return t('words_next_state_forced', { state: difference.state });
  return conditionsInWords[difference.id];
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
