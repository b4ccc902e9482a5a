import type { Statistics } from '../../store/statistics';

/** Reports with at least this delay are late. */
const LATE_SECONDS = 3600;

export type Delay = Statistics['delays'][number];

export const isLate = ({ from }: Delay): boolean => from !== null && from >= LATE_SECONDS;

export const lateReports = (delays: Statistics['delays']): number =>
  delays.filter(isLate).reduce((sum, { reports }) => sum + reports, 0);

/** From 0 to the most reports of a delay. If there are none, bars from 0 to 0 would be as long as the chart. */
export const reportsRange = (delays: readonly Pick<Delay, 'reports'>[]): readonly [number, number] => [
  0,
  delays.reduce((most, { reports }) => Math.max(most, reports), 1),
];
