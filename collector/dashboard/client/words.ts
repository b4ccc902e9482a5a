import type { IdentifiedConfiguration } from '../../sources/definition';
import { decimalsOf, MOST_DECIMALS } from '../../../analysis/estimate/result/decimals';
import { bare } from '../../../ui/bare';
import { locale, t } from './language';

export { bare };

/** They omit the sign of a value that rounds to 0. */
const formats = Array.from(
  { length: MOST_DECIMALS + 1 },
  (_, digits) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits, signDisplay: 'negative' }),
);
const withDecimals = (value: number, decimals: number): string =>
  formats[Math.min(decimals, MOST_DECIMALS)]?.format(value) ?? String(value);
const sixDigits = new Intl.NumberFormat(locale, { maximumSignificantDigits: 6 });

/** Axes of counts only have ticks at whole numbers. */
export const showTick = (count: number): string => (Number.isInteger(count) ? showCount(count) : '');

export const showCount = (count: number): string => withDecimals(count, 0);
export const showNumber = (number: number): string => sixDigits.format(number);

/** The numbers of an interval, by whose width `Show` chooses digits. */
type Ends = readonly (number | null)[];
type Show = (value: number, interval?: Ends) => string;

/** People are whole numbers, even if noise makes the estimate fractional. */
export const showPeople: Show = (people, interval) =>
  withDecimals(people, interval === undefined ? 0 : decimalsOf(people, interval, 1));

/** Shows tenths below 100. */
export const showEstimate = (value: number | null, interval?: Ends): string =>
  value === null
    ? '–'
    : withDecimals(value, Math.max(Math.abs(value) < 100 ? 1 : 0, decimalsOf(value, interval)));

export const showShare = (share: number | null): string => percent(share, 2);
export const showRate = (rate: number | null, interval?: Ends): string => percent(rate, 3, interval);

/** With so many significant digits, and more if the interval is narrower. */
function percent(share: number | null, digits: number, interval: Ends = []): string {
  if (share === null) return '–';
  const [value, ends] = [share * 100, interval.map((end) => (end ?? NaN) * 100)];
  const decimals = Math.max(decimalsOf(value, [], digits), decimalsOf(value, ends));
  return `${withDecimals(value, decimals)}\u00a0%`;
}

const units = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
] as const;

/** `2 d`, `6 h`, `15 min`, `90 s`: the largest unit that gives a whole number. */
export function showSeconds(seconds: number): string {
  const [length, unit] = units.find(([size]) => seconds >= size && seconds % size === 0) ?? [1, 's'];
  return `${showCount(seconds / length)}\u00a0${unit}`;
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
export const showConfiguration = ({ definition }: IdentifiedConfiguration): string =>
  t('configuration', {
    type: showType(definition.source_type),
    epsilon: showNumber(Number(definition.registration['event_level_epsilon'])),
    count: Number(definition.k),
    outputs: BigInt(definition.k).toLocaleString(locale),
    kind: definition.mechanism.kind,
    mechanism: showMechanism(definition.mechanism.kind),
  });

export function showValue(
  name: string,
  value: string,
  configurations: readonly IdentifiedConfiguration[],
): string {
  if (value === '') return t('no-value');
  if (name === 'source_type') return showType(value);
  if (name === 'mechanism') return showMechanism(value);
  if (name !== 'configuration') return value.split(' ').map(bare).join(' ');
  const configuration = configurations.find(({ id }) => id === value);
  return configuration === undefined ? value.slice(0, 8) : showConfiguration(configuration);
}

/** An estimate with the digits that its interval gives it. Without one, the interval has every possible number, or there is none. */
export function showFound(value: number | null, ends: Ends, show: Show): string {
  if (value !== null && !Number.isNaN(value)) return show(value, ends);
  return ends.every((end) => Number.isFinite(end ?? NaN)) ? t('too-few') : '–';
}

/** The numbers of an interval; one if they are the same. */
export function showInterval(low: number, high: number, show: Show): string {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return t('unknown-interval');
  const ends = [show(low, [low, high]), show(high, [low, high])] as const;
  return ends[0] === ends[1] ? ends[0] : t('interval', { low: ends[0], high: ends[1] });
}
