import type { AnalysedEstimate } from '../../analysis/estimate/result/analysis';
import { isBounded, shownEstimate } from '../../analysis/estimate/result/result-json';
import { decimalsOf } from '../../analysis/estimate/result/decimals';

/* Numbers and rows of tables for people. */

/** Hides the rounding of doubles: a share of a budget may be 1.9999999999999982. */
export const inBrief = (number: number): number => Number(number.toPrecision(6));

type Numbers = Pick<AnalysedEstimate, 'quantity'> & {
  readonly estimate: Pick<AnalysedEstimate['estimate'], 'interval'>;
};

/** The estimate of a quantity, or why there is none. */
export const estimateOf = ({ quantity, estimate }: Omit<AnalysedEstimate, 'likelihood'>): string =>
  numberOf(shownEstimate(estimate), { quantity, estimate });

/** A number with as many digits as its interval justifies. There is no number if the interval has every possible number, or if there is no interval. */
export function numberOf(value: number, numbers: Numbers): string {
  if (!Number.isNaN(value)) return shown(numbers)(value);
  return isBounded(numbers.estimate.interval) ? 'not enough sources' : 'none';
}

export function intervalOf(numbers: Numbers): string {
  const show = shown(numbers);
  const { interval } = numbers.estimate;
  return isBounded(interval) ? `${show(interval[0])} to ${show(interval[1])}` : 'none';
}

/** How the numbers of an estimate look: with the digits that its interval gives them. */
export const shown = ({ quantity, estimate: { interval } }: Numbers): ((value: number) => string) =>
  quantity.kind === 'conversion-rate'
    ? (share) => percent(share, interval)
    : (value) => shortNumber(value, interval);

export function duration(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds} s`;
}

/** With three digits, and more if the interval is narrower. */
export function percent(share: number, interval: readonly number[] = []): string {
  if (!Number.isFinite(share)) return '–';
  const value = share * 100;
  const digits = decimalsOf(
    value,
    interval.map((end) => end * 100),
  );
  return `${value.toFixed(Math.max(digits, value === 0 ? 2 : decimalsOf(value, [], 3)))} %`;
}

/** Shows tenths below 10,000, and more digits if the interval is narrower. */
function shortNumber(value: number, interval: readonly number[]): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.max(Math.abs(value) < 10_000 ? 1 : 0, decimalsOf(value, interval));
  const rounded = Number(value.toFixed(digits));
  return String(rounded === 0 ? 0 : rounded);
}
