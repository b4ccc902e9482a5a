import type { LogEntry } from '../../../src/model/decision';
import { field, headerJson, textOf } from '../data/header-json';
import { t } from '../../i18n';
import { whatKey, whats, type What } from '../words/what';
import { sourcesCredited } from '../data/trigger-entry';
import { column, from, type Cell, type Column, type TableDefinition } from './table';
import {
  debugColumns,
  debugKeyColumns,
  occasionColumns,
  outcomeColumns,
  sitesOfEntry,
  timeColumn,
} from './common';

export const whatColumn: Column<LogEntry> = column('what', whatKey, {
  label: (cell) => whats[cell as What],
  facet: true,
});

export const log: TableDefinition<LogEntry> = {
  name: 'log',
  title: t('tables_log_title'),
  empty: t('tables_log_empty'),
  from: [from('log', (entry) => entry)],
  sites: sitesOfEntry,
  columns: [
    timeColumn,
    whatColumn,
    ...outcomeColumns('outcome', t('tables_column_outcome')),
    ...occasionColumns,
    column(
      'event_id',
      ({ kind, header }) => (kind === 'source' ? textOf(field(headerJson(header), 'source_event_id')) : null),
      { as: 'number' },
    ),
    column('source', sourceIdOf, { as: 'number' }),
    column('warnings', ({ warnings }) => warnings.length, { as: 'number' }),
    ...debugKeyColumns,
    ...debugColumns,
  ],
};

/** The source that the entry registered, or that its trigger was attributed to. */
export function sourceIdOf(entry: LogEntry): Cell {
  if (entry.kind === 'source') return entry.decision.kind === 'stored' ? entry.decision.sourceId : null;
  return entry.kind === 'trigger' ? sourcesCredited(entry.decision) : null;
}
