import type { ReportKind } from '../../src/model/records';

/** ARA, "get report request URL". */
export const reportPaths: Readonly<Record<ReportKind, string>> = {
  'event-level': '/.well-known/attribution-reporting/report-event-attribution',
  'event-level-debug': '/.well-known/attribution-reporting/debug/report-event-attribution',
  'verbose-debug': '/.well-known/attribution-reporting/debug/verbose',
  aggregatable: '/.well-known/attribution-reporting/report-aggregate-attribution',
  'aggregatable-debug': '/.well-known/attribution-reporting/debug/report-aggregate-attribution',
  'aggregate-debug': '/.well-known/attribution-reporting/debug/report-aggregate-debug',
};

export const reportKinds = Object.keys(reportPaths) as readonly ReportKind[];
