import type { LogEntry } from '../../../src/model/decision';
import { siteOf } from '../../../src/model/site';
import { field, headerJson, textOf } from '../data/header-json';
import { outcomeKey } from '../words/outcome';
import { outcomeTone, outcomeWords } from '../words/outcome-words';
import { shownConditions } from '../words/shown-conditions';
import { t } from '../../i18n';
import { conditionWords } from '../words/words';
import type { Tone } from '../words/tone';
import { column, type Cell, type Column } from './table';

export const sitesOfEntry = ({ contextSite, reportingOrigin }: LogEntry): readonly string[] => [
  contextSite,
  siteOf(reportingOrigin),
];

export const outcomeCells = {
  label: (cell: Cell): string => outcomeWords(String(cell)),
  tone: (cell: Cell): Tone | undefined => outcomeTone(String(cell)),
};

const outcomeColumn = (key: string, title: string, truth: boolean): Column<LogEntry> => ({
  key,
  outcome: true,
  title,
  value: (entry) => outcomeKey(entry, truth),
  ...outcomeCells,
  facet: true,
  truth,
});

/** The outcome as the reporting origin may know it, and the exact one in its place while the truth is shown. */
export const outcomeColumns = (key: string, title: string): readonly Column<LogEntry>[] => [
  outcomeColumn(key, title, false),
  outcomeColumn('exact', title, true),
];

/** Any other value is the id of a recording rule. */
export const viaWords = (cell: Cell): string =>
  cell === 'header' ? t('tables_via_header') : cell === 'by hand' ? t('tables_via_hand') : String(cell);

export const occasionColumns: readonly Column<LogEntry>[] = [
  column('page', ({ contextOrigin }) => contextOrigin, { as: 'origin', facet: true }),
  column('reporting_origin', ({ reportingOrigin }) => reportingOrigin, { as: 'origin', facet: true }),
  column('via', ({ via }) => via, { label: viaWords, facet: true, optional: true }),
];

const debugKeyOf = ({ header }: LogEntry): Cell => textOf(field(headerJson(header), 'debug_key'));

/** The debug key in force, and the one that was cleared because the reporting origin may get no debug reports. */
export const debugKeyColumns: readonly Column<LogEntry>[] = [
  column('debug_key', (entry) => (entry.debugAllowed === true ? debugKeyOf(entry) : null), {
    as: 'number',
    optional: true,
  }),
  column('cleared_debug_key', (entry) => (entry.debugAllowed === true ? null : debugKeyOf(entry)), {
    as: 'number',
    optional: true,
  }),
];

const debugColumn = (key: string, truth: boolean): Column<LogEntry> => ({
  key,
  title: t('tables_column_not_production'),
  value: (entry) =>
    shownConditions(entry, truth)
      .map(({ id }) => id)
      .join(', ') || null,
  label: (cell) => String(cell).split(', ').map(conditionWords).join(', '),
  facet: true,
  optional: true,
  truth,
});

/** What differed from production, as far as pages may tell. */
export const debugColumns: readonly Column<LogEntry>[] = [
  debugColumn('debug_mode', false),
  debugColumn('not_production', true),
];

export const timeColumn: Column<LogEntry> = column('time', ({ time }) => time, { as: 'time' });
