import type { LogEntry } from '../../../../src/model/decision';
import { outcomeOf } from '../../explain/outcome';
import { from, type TableDefinition } from '../table';
import { debugColumn, occasionColumns, sitesOfEntry, timeColumn, toneOfOutcome } from './common';
import { whatOf } from './log';

const isRefused = (entry: LogEntry): boolean =>
  entry.kind === 'refused' ||
  entry.kind === 'ignored' ||
  (entry.kind === 'source' && entry.decision.kind === 'rejected');

/** Where the first mistake is, and what it is; for limits, the limit. */
function firstProblem(entry: LogEntry): string {
  if (entry.kind === 'ignored') return entry.reason;
  if (entry.kind === 'refused') {
    const [first, ...others] = entry.errors;
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
    return `${first?.path ?? ''} ${first?.message ?? ''}${more}`.trim();
  }
  const failed = entry.checks.find(({ passed }) => !passed);
  return failed === undefined ? '' : `${failed.name}: ${failed.detail}`;
}

export const refused: TableDefinition<LogEntry> = {
  name: 'refused',
  title: 'Refused',
  noun: 'refused registration',
  empty:
    'Nothing was refused. Malformed headers, requests that were not eligible, and sources beyond a limit would be here.',
  from: [from('log', (entry) => (isRefused(entry) ? entry : null))],
  sites: sitesOfEntry,
  columns: [
    timeColumn,
    { key: 'what', title: 'What', value: whatOf, width: 100, facet: true },
    {
      key: 'reason',
      title: 'Reason',
      value: (entry) => outcomeOf(entry, false).words,
      tone: toneOfOutcome,
      width: 210,
      facet: true,
    },
    { key: 'problem', title: 'Problem', value: firstProblem, width: 420 },
    ...occasionColumns,
    debugColumn,
  ],
};
