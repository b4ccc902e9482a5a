import { multisets } from '../../../src/states/report-space';
import type { triggerDataOf } from '../../../src/states/source-space';
import type { StateQuantity } from './quantities';
import type { Distribution } from './state-sums';

/** What the reports of one trigger data add to a quantity. */
export interface Part {
  /** Equal for parts that differ only in their trigger data. */
  readonly key: string;
  readonly adds: (placed: readonly number[]) => number;
  /** What one report in a window adds, if `adds` is the sum over the reports; null if it is not. */
  readonly ofReport: ((window: number) => number) | null;
  /** The number of ways in which this many reports give each value. */
  ways(reports: number): Distribution;
}

export function partOf(
  quantity: StateQuantity,
  { triggerData, spec }: ReturnType<typeof triggerDataOf>[number],
): Part {
  const windows = spec.windows.ends.length;
  const nothing = countPart('', windows, () => 0, 0);
  const all = countPart('count', windows, (reports) => reports, 1);
  const inWindow = (windowEnd: number): Part => {
    const window = spec.windows.ends.findIndex((end) => end === windowEnd * 1000);
    return window < 0 ? nothing : windowPart(window, windows);
  };
  switch (quantity.kind) {
    case 'conversions':
      return all;
    case 'trigger-data':
      return quantity.triggerData === triggerData ? all : nothing;
    case 'window':
      return inWindow(quantity.windowEnd);
    case 'trigger-data-and-window':
      return quantity.triggerData === triggerData ? inWindow(quantity.windowEnd) : nothing;
    case 'bucket': {
      const bucket = spec.summaryBuckets.indexOf(quantity.bucket[0]);
      return quantity.triggerData === triggerData
        ? countPart(`bucket ${bucket}`, windows, (reports) => (reports > bucket ? 1 : 0), null)
        : nothing;
    }
    case 'value':
      return countPart(
        `value ${spec.summaryBuckets.join()}`,
        windows,
        (reports) => (reports === 0 ? 0 : (spec.summaryBuckets[reports - 1] ?? 0)),
        null,
      );
    case 'conversion-rate':
    case 'state':
      return nothing;
  }
}

/** @param each what each report adds; null if the number of reports decides. */
const countPart = (
  key: string,
  windows: number,
  value: (reports: number) => number,
  each: number | null,
): Part => ({
  key,
  adds: (placed) => value(placed.length),
  ofReport: each === null ? null : () => each,
  ways: (reports) => new Map([[value(reports), multisets(windows, reports)]]),
});

/** Counts the reports that fall into one of the windows. */
const windowPart = (window: number, windows: number): Part => ({
  key: 'window',
  adds: (placed) => placed.filter((other) => other === window).length,
  ofReport: (other) => (other === window ? 1 : 0),
  ways: (reports) =>
    new Map(
      Array.from({ length: reports + 1 }, (_, here) => {
        const elsewhere = reports - here;
        return [here, windows > 1 ? multisets(windows - 1, elsewhere) : elsewhere === 0 ? 1n : 0n] as const;
      }),
    ),
});

/** The cell of reports of one trigger data in these windows, by which the likelihood knows it. */
export const cellOf = (position: number, ...windows: readonly number[]): string =>
  `${position}/${windows.join('+')}`;

/** What the reports of a cell add; null unless every part is the sum over its reports. */
export function reportSums(parts: readonly Part[]): ((cell: string) => number) | null {
  if (parts.some(({ ofReport }) => ofReport === null)) return null;
  return (cell) => {
    const [position = '', windows = ''] = cell.split('/');
    const ofReport = parts[Number(position)]?.ofReport;
    return windows.split('+').reduce((sum, window) => sum + (ofReport?.(Number(window)) ?? NaN), 0);
  };
}
