import type { AnalysedEstimate } from '../../analysis/estimate/analysis';
import type { Quantity } from '../../analysis/estimate/quantities';

/* Numbers and rows of tables for people. */

/** Hides the rounding of doubles: a share of a budget may be 1.9999999999999982. */
export const inBrief = (number: number): number => Number(number.toPrecision(6));

export function intervalOf({ quantity, estimate }: Pick<AnalysedEstimate, 'quantity' | 'estimate'>): string {
  const show = shown(quantity);
  const [low, high] = estimate.interval;
  return Number.isNaN(low) ? 'none' : `${show(low)} to ${show(high)}`;
}

export const shown = ({ kind }: Quantity): ((value: number) => string) =>
  kind === 'conversion-rate' ? percent : shortNumber;

/** Aligns the first column left and numbers right. */
export function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  );
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   ')
      .trimEnd(),
  );
}

export function duration(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400} d`;
  return seconds % 3600 === 0 ? `${seconds / 3600} h` : `${seconds} s`;
}

export const percent = (share: number): string =>
  Number.isFinite(share) ? `${(share * 100).toPrecision(3)} %` : '?';

/** Shows tenths only where they are significant. */
function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return '?';
  const rounded = Math.abs(value) < 10_000 ? Math.round(value * 10) / 10 : Math.round(value);
  return String(rounded === 0 ? 0 : rounded);
}
