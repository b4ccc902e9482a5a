import memoize from 'memoizee';
import { countStates, type ReportSpaceShape } from '../src/states/report-space';
import { compare } from './measure';

/**
 * Counts by recurrence over (reports left, trigger data, windows, cap), memoised with the same library as the explainer's tool. A window of
 * a trigger data takes j reports; the recursion continues with one window fewer.
 */
function countByRecurrence({ triggerData, maxReports }: ReportSpaceShape): number {
  const count = memoize((left: number, index: number, windows: number, cap: number): number => {
    if (windows === 0) {
      const next = triggerData[index - 1];
      return next === undefined ? 1 : count(left, index - 1, next.windows, next.maxReports);
    }
    let sum = 0;
    for (let reports = 0; reports <= Math.min(left, cap); reports++)
      sum += count(left - reports, index, windows - 1, cap - reports);
    return sum;
  });
  return count(maxReports, triggerData.length, 0, 0);
}

const shape = (trigger: number, windows: number, maxReports: number): ReportSpaceShape => ({
  triggerData: Array.from({ length: trigger }, () => ({ windows, maxReports })),
  maxReports,
});

export function benchStates(): void {
  for (const [title, size] of [
    ['count the states of the default navigation source', shape(8, 3, 3)],
    ['count the states of 32 trigger data × 5 windows × 20 reports', shape(32, 5, 20)],
  ] as const) {
    const [exact, recurrence] = [countStates(size), countByRecurrence(size)];
    if (Math.abs(Number(exact) / recurrence - 1) > 1e-9)
      throw new Error(`${title}: ${exact} is not ${recurrence}`);
    compare(
      `${title} (${exact})`,
      () => countStates(size),
      () => countByRecurrence(size),
      'memoised ',
    );
  }
}
