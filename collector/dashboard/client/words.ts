import type { Mechanism } from '../../sources/mechanism';
import type { Configuration } from '../../sources/definition';

const LANGUAGE = 'en';
const whole = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
// Shows no sign before a value that rounds to 0.
const tenths = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1, signDisplay: 'negative' });
const twoDigits = new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 2 });
const threeDigits = new Intl.NumberFormat(LANGUAGE, { maximumSignificantDigits: 3 });

/** Axes of counts only have ticks at whole numbers. */
export const showTick = (count: number): string => (Number.isInteger(count) ? whole.format(count) : '');

export const showCount = (count: number): string => whole.format(count);

/** Shows tenths below 100. */
export const showEstimate = (value: number | null): string =>
  value === null ? '?' : (Math.abs(value) < 100 ? tenths : whole).format(value);

export const showShare = (share: number | null): string => percent(share, twoDigits);
export const showRate = (rate: number | null): string => percent(rate, threeDigits);

const percent = (share: number | null, format: Intl.NumberFormat): string =>
  share === null ? '?' : `${format.format(share * 100)}\u00a0%`;

export const count = (number: number, noun: string): string =>
  `${showCount(number)} ${number === 1 ? noun : `${noun}s`}`;

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

/** `2026-02-03 04:05:06`, UTC. */
export const showTime = (iso: string): string => iso.slice(0, 19).replace('T', ' ');

/** A site without `https://`. */
export const bare = (url: string): string => url.replace(/^https:\/\//, '');

const properties: ReadonlyMap<string, string> = new Map([
  ['destination', 'Destination'],
  ['source_type', 'Source type'],
  ['reporting_origin', 'Reporting origin'],
  ['configuration', 'Configuration'],
  ['mechanism', 'Mechanism'],
]);

/** The title of a property, or the name of a feature. */
export const titleOf = (name: string): string =>
  properties.get(name) ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

const mechanisms: Readonly<Record<Mechanism['kind'], string>> = {
  rr: 'randomized response',
  'rr-with-prior': 'randomized response with a prior',
  'rr-on-bins': 'randomized response on bins',
  unbiased: 'unbiased randomizer',
};

export const showMechanism = (kind: string): string => (mechanisms as Record<string, string>)[kind] ?? kind;

/** `Clicks, ε = 14, 2,925 outputs`. */
export function showConfiguration({ definition }: Configuration): string {
  const { source_type: type, registration, k, mechanism } = definition;
  const epsilon = `ε = ${Number(registration['event_level_epsilon'])}`;
  const how = mechanism.kind === 'rr' ? '' : `, ${showMechanism(mechanism.kind)}`;
  return `${type === 'navigation' ? 'Clicks' : 'Views'}, ${epsilon}, ${BigInt(k).toLocaleString(LANGUAGE)} outputs${how}`;
}

export function showValue(name: string, value: string, configurations: readonly Configuration[]): string {
  if (value === '') return 'none';
  if (name === 'source_type') return value === 'navigation' ? 'Clicks' : 'Views';
  if (name === 'mechanism') return showMechanism(value);
  if (name !== 'configuration') return value.split(' ').map(bare).join(' ');
  const configuration = configurations.find(({ id }) => id === value);
  return configuration === undefined ? value.slice(0, 8) : showConfiguration(configuration);
}
