import { untilTruth } from '../data/until-truth';
import type { LogEntry } from '../../../src/model/decision';
import { outcomeKey } from '../words/outcome';
import { t } from '../../i18n';
import { words } from '../../words';
import { column, from, type TableDefinition } from './table';
import { debugColumns, occasionColumns, outcomeCells, sitesOfEntry, timeColumn } from './common';
import { whatColumn } from './log';

const isRefused = (entry: LogEntry): boolean =>
  entry.kind === 'refused' ||
  entry.kind === 'ignored' ||
  (entry.kind === 'source' && entry.decision.kind === 'rejected');

/** The first issue with its path; for limits, the limit. */
function firstProblem(entry: LogEntry): string {
  if (entry.kind === 'ignored') return words.mistakeText(entry.reason);
  if (entry.kind === 'refused') {
    const [first, ...others] = entry.errors;
    const problem = first === undefined ? '' : words.issueSentence(first);
    return others.length === 0 ? problem : t('tables_more_problems', { problem, n: others.length });
  }
  const failed = untilTruth(entry.checks).find(({ passed }) => !passed);
  return failed === undefined ? '' : `${failed.id}: ${words.check(failed)}`;
}

export const refused: TableDefinition<LogEntry> = {
  name: 'refused',
  title: t('tables_refused_title'),
  empty: t('tables_refused_empty'),
  from: [from('log', (entry) => (isRefused(entry) ? entry : null))],
  sites: sitesOfEntry,
  columns: [
    timeColumn,
    whatColumn,
    column('reason', (entry) => outcomeKey(entry, false), { outcome: true, ...outcomeCells, facet: true }),
    column('problem', firstProblem),
    ...occasionColumns,
    ...debugColumns,
  ],
};
