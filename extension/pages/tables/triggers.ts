import { decisionsOf, type LogEntry } from '../../../src/model/decision';
import type { Json } from '../../../src/model/json';
import { field, headerJson, textOf } from '../data/header-json';
import { t } from '../../i18n';
import { column, from, type TableDefinition } from './table';
import {
  debugColumns,
  debugKeyColumns,
  occasionColumns,
  outcomeColumns,
  sitesOfEntry,
  timeColumn,
} from './common';
import { sourcesCredited, type TriggerEntry } from '../data/trigger-entry';

const triggerData = ({ header }: LogEntry): string | null => {
  const list = field(headerJson(header), 'event_trigger_data');
  if (!Array.isArray(list)) return null;
  return (
    (list as readonly Json[]).map((data) => textOf(field(data, 'trigger_data')) ?? '0').join(', ') || null
  );
};

export const triggers: TableDefinition<TriggerEntry> = {
  name: 'triggers',
  title: t('tables_triggers_title'),
  empty: t('tables_triggers_empty'),
  from: [from('log', (entry) => (entry.kind === 'trigger' ? entry : null))],
  sites: sitesOfEntry,
  columns: [
    timeColumn,
    ...outcomeColumns('result', t('tables_column_result')),
    column('trigger_data', triggerData, { as: 'number', facet: true }),
    ...occasionColumns,
    column('source', ({ decision }) => sourcesCredited(decision), { as: 'number' }),
    column(
      'reports',
      ({ decision }) =>
        decisionsOf(decision).reduce(
          (sum, one) => sum + (one.kind === 'attributed' ? one.reports.length : 0),
          0,
        ),
      { as: 'number', truth: true },
    ),
    column(
      'considered',
      ({ considered, unlisted = 0 }) => (considered === undefined ? null : considered.length + unlisted),
      { as: 'number', optional: true },
    ),
    ...debugKeyColumns,
    column('warnings', ({ warnings }) => warnings.length, { as: 'number', optional: true }),
    ...debugColumns,
  ],
};
