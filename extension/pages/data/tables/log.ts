import type { LogEntry, TriggerDecision } from '../../../../src/model/decision';
import { outcomeKey } from '../../explain/outcome';
import { t } from '../../../i18n';
import { from, type Cell, type Column, type TableDefinition } from '../table';
import {
  debugColumns,
  debugKeyColumns,
  field,
  headerJson,
  occasionColumns,
  outcomeCells,
  sitesOfEntry,
  textOf,
  timeColumn,
} from './common';

type What = 'click' | 'impression' | 'conversion' | 'source' | 'header';

const whats: Readonly<Record<What, string>> = {
  click: t('tables_what_click'),
  impression: t('tables_what_impression'),
  conversion: t('tables_what_conversion'),
  source: t('tables_what_source'),
  header: t('tables_what_header'),
};

/** The kind of a registration, in words. For a refused one, the kind that it was meant to be. */
export const whatOf = (entry: LogEntry): string => whats[whatKey(entry)];

export const whatColumn: Column<LogEntry> = {
  key: 'what',
  title: t('tables_column_what'),
  value: whatKey,
  label: (cell) => whats[cell as What],
  facet: true,
};

function whatKey(entry: LogEntry): What {
  switch (entry.kind) {
    case 'source':
      return entry.sourceType === 'navigation' ? 'click' : 'impression';
    case 'trigger':
      return 'conversion';
    case 'refused':
      return entry.register === 'source' ? 'source' : 'conversion';
    case 'ignored':
      return 'header';
  }
}

export const log: TableDefinition<LogEntry> = {
  name: 'log',
  title: t('tables_log_title'),
  empty: t('tables_log_empty'),
  from: [from('log', (entry) => entry)],
  sites: sitesOfEntry,
  columns: [
    timeColumn,
    whatColumn,
    {
      key: 'outcome',
      outcome: true,
      title: t('tables_column_outcome'),
      value: (entry) => outcomeKey(entry, false),
      ...outcomeCells,
      facet: true,
      truth: false,
    },
    {
      key: 'exact',
      outcome: true,
      title: t('tables_column_outcome'),
      value: (entry) => outcomeKey(entry, true),
      ...outcomeCells,
      facet: true,
      truth: true,
    },
    ...occasionColumns,
    {
      key: 'event_id',
      title: t('tables_column_event_id'),
      value: ({ kind, header }) =>
        kind === 'source' ? textOf(field(headerJson(header), 'source_event_id')) : null,
      as: 'number',
    },
    { key: 'source', title: t('tables_column_source'), value: sourceIdOf, as: 'number' },
    {
      key: 'warnings',
      title: t('tables_column_warnings'),
      value: ({ warnings }) => warnings.length,
      as: 'number',
    },
    ...debugKeyColumns,
    ...debugColumns,
  ],
};

/** The source that the entry registered, or that its trigger was attributed to. */
export function sourceIdOf(entry: LogEntry): Cell {
  if (entry.kind === 'source') return entry.decision.kind === 'stored' ? entry.decision.sourceId : null;
  return entry.kind === 'trigger' ? sourcesCredited(entry.decision) : null;
}

/** One id, or a list when the value was split among several sources. */
export function sourcesCredited(decision: TriggerDecision): Cell {
  if (decision.kind !== 'split') return decision.sourceId;
  return decision.shares.map((share) => share.decision.sourceId).join(', ');
}
