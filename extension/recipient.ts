import type { Report } from '../src/model/records';

/** The address that a report is sent to: its own URL, or the same path at its collector. */
export const addressOf = ({ url, recipient }: Pick<Report, 'url' | 'recipient'>): string =>
  recipient === undefined ? url : recipient + new URL(url).pathname;
