import type { Configuration } from '../../sources/definition';
import { bare } from '../../../ui/bare';
import { intervalEnds } from './interval-ends';
import { locale, t } from './language';

export { bare };

// They omit the sign of a value that rounds to 0.
const whole = new Intl.NumberFormat(locale, { maximumFractionDigits: 0, signDisplay: 'negative' });
const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: 'negative' });
const significant = (digits: number): Intl.NumberFormat =>
  new Intl.NumberFormat(locale, { maximumSignificantDigits: digits });
const twoDigits = significant(2);
const threeDigits = significant(3);
const sixDigits = significant(6);

/** Axes of counts only have ticks at whole numbers. */
export const showTick = (count: number): string => (Number.isInteger(count) ? whole.format(count) : '');

export const showCount = (count: number): string => whole.format(count);
export const showNumber = (number: number): string => sixDigits.format(number);

/** People are whole numbers, even if noise makes the estimate fractional. */
export const showPeople = (people: number, format = whole): string => format.format(people);

/** Shows tenths below 100. */
export const showEstimate = (value: number | null, format?: Intl.NumberFormat): string =>
  value === null ? '?' : (format ?? (Math.abs(value) < 100 ? tenths : whole)).format(value);

export const showShare = (share: number | null): string => percent(share, twoDigits);
export const showRate = (rate: number | null, format = threeDigits): string => percent(rate, format);

const percent = (share: number | null, format: Intl.NumberFormat): string =>
  share === null ? '?' : `${format.format(share * 100)}\u00a0%`;

const units = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

/** `2 d`, `6 h`, `15 min`, `90 s`: the largest unit that gives a whole number. */
export function showSeconds(seconds: number): string {
  const [length, unit] = units.find(([size]) => seconds >= size && seconds % size === 0) ?? [1, 's'];
  return `${showCount(seconds / length)} ${unit}`;
}

const dateFormat = (options: Intl.DateTimeFormatOptions): ((time: Date | number) => string) => {
  const format = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
  return (time) => format.format(time);
};

/** All in UTC. */
export const showTime = dateFormat({ dateStyle: 'medium', timeStyle: 'medium' });
export const showUnit = {
  hour: dateFormat({ dateStyle: 'medium', timeStyle: 'short' }),
  day: dateFormat({ dateStyle: 'medium' }),
  month: dateFormat({ month: 'long', year: 'numeric' }),
};
export const showDay = dateFormat({ month: 'short', day: 'numeric' });
export const showHour = dateFormat({ timeStyle: 'short' });
export const showMonth = dateFormat({ month: 'short', year: 'numeric' });

/** The title of a property, or the name of a feature. */
export const titleOf = (name: string): string =>
  t('property', { name: `${name.charAt(0).toUpperCase()}${name.slice(1)}`, property: name });

/** The same inside a sentence. */
export const insideOf = (name: string): string => t('property-inside', { name });

export const showMechanism = (kind: string): string => t('mechanism', { kind: kind.replaceAll('-', '_') });

const showType = (type: string): string => t(type === 'navigation' ? 'clicks' : 'impressions');

/** `Clicks, ε = 14, 2,925 outputs`. */
export const showConfiguration = ({ definition }: Configuration): string =>
  t('configuration', {
    type: showType(definition.source_type),
    epsilon: showNumber(Number(definition.registration['event_level_epsilon'])),
    count: Number(definition.k),
    outputs: BigInt(definition.k).toLocaleString(locale),
    kind: definition.mechanism.kind,
    mechanism: showMechanism(definition.mechanism.kind),
  });

export function showValue(name: string, value: string, configurations: readonly Configuration[]): string {
  if (value === '') return t('no-value');
  if (name === 'source_type') return showType(value);
  if (name === 'mechanism') return showMechanism(value);
  if (name !== 'configuration') return value.split(' ').map(bare).join(' ');
  const configuration = configurations.find(({ id }) => id === value);
  return configuration === undefined ? value.slice(0, 8) : showConfiguration(configuration);
}

/** The numbers of an interval; one if they are the same. */
export function showInterval(
  low: number,
  high: number,
  show: (value: number, format?: Intl.NumberFormat) => string,
): string {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return t('unknown-interval');
  const ends = intervalEnds(low, high, (value, digits) =>
    digits === null ? show(value) : show(value, significant(digits)),
  );
  return ends[0] === ends[1] ? ends[0] : t('interval', { low: ends[0], high: ends[1] });
}
