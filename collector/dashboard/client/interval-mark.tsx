import { greatest, least as lowest } from '../../../numeric/extremes';
import type { JSX } from 'preact';
import type { Estimated } from '../../../analysis/estimate/result/campaigns';

/** Where a number stands in a mark. */
export type Scale = (value: number) => number;

const WIDTH = 100;

/** For marks below one another: from 0 or the lowest of the numbers to the highest. */
export function scaleOf(numbers: readonly number[]): Scale {
  const finite = [0, ...numbers.filter(Number.isFinite)];
  const [least, most] = [lowest(finite), greatest(finite)];
  return (value) =>
    (most === least ? 0 : (Math.min(most, Math.max(least, value)) - least) / (most - least)) * WIDTH;
}

export function IntervalMark({
  of: { value, low, high },
  truth,
  scale,
}: {
  readonly of: Estimated;
  readonly truth: number | null;
  readonly scale: Scale;
}): JSX.Element | null {
  // Browsers draw NaN as 0.
  if (Number.isNaN(value)) return null;
  return (
    <svg class="interval-mark" width={WIDTH + 8} height="14" viewBox={`-4 0 ${WIDTH + 8} 14`}>
      <line class="zero" x1={scale(0)} x2={scale(0)} y1="0" y2="14" />
      <rect class="interval" x={scale(low)} width={Math.max(1, scale(high) - scale(low))} y="4" height="6" />
      <circle class="estimate" cx={scale(value)} cy="7" r="4" />
      {truth !== null && <line class="truth" x1={scale(truth)} x2={scale(truth)} y1="1" y2="13" />}
    </svg>
  );
}
