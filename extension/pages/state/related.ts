import { useMemo } from 'preact/hooks';
import type { LogEntry } from '../../../src/model/decision';
import type { Dataset } from '../tables/dataset';
import { columnIndex, type Cell, type TableDefinition } from '../tables/table';
import { log } from '../tables/log';
import { readReport } from '../data/read-report';
import type { ReportRow } from '../data/report-row';
import { reports } from '../tables/reports';
import { triggers } from '../tables/triggers';
import type { TriggerEntry } from '../data/trigger-entry';
import { useDataset, useSession } from './session';
import { useLoaded, type Loaded } from './use-stored';

function idsWhere<Row>(
  { columns }: TableDefinition<Row>,
  dataset: Dataset,
  column: string,
  value: Cell,
): readonly number[] {
  const index = columnIndex(columns, column);
  return [...dataset.items.values()]
    .filter(({ cells }) => {
      const cell = cells[index];
      // A trigger with a split value names several sources.
      return cell === value || (typeof cell === 'string' && cell.split(', ').includes(String(value)));
    })
    .map(({ id }) => id)
    .sort((a, b) => a - b);
}

function useIdsWhere<Row>(definition: TableDefinition<Row>, column: string, value: Cell): readonly number[] {
  const dataset = useDataset(definition);
  return useMemo(
    () => idsWhere(definition, dataset, column, value),
    [definition, dataset, dataset.version, column, value],
  );
}

/** The triggers that were attributed to a source, or dropped with it as their best source, by time. */
export function useTriggersOf(sourceId: number): Loaded<readonly TriggerEntry[]> {
  const { reader } = useSession();
  const ids = useIdsWhere(triggers, 'source', sourceId);
  return useLoaded(async () => {
    const entries = await Promise.all(ids.map((id) => reader.get('log', id)));
    return entries.flatMap((entry) => (entry?.kind === 'trigger' ? [entry] : []));
  }, [reader, ids.join()]);
}

/** Every report of a source, pending or finished, in the order in which they are due. Their numbers are in no order. */
export function useReportsOf(sourceId: number): Loaded<readonly ReportRow[]> {
  const { reader, truth } = useSession();
  const dataset = useDataset(reports);
  const ids = useIdsWhere(reports, 'source', sourceId);
  return useLoaded(
    async () =>
      (await Promise.all(ids.map((id) => readReport(reader, id, truth))))
        .flatMap((report) => report ?? [])
        .sort((a, b) => a.report.reportTime - b.report.reportTime),
    [reader, ids.join(), dataset.version, truth],
  );
}

/** The log entry that registered a source; null when the log no longer has it. */
export function useRegistrationOf(sourceId: number): Loaded<LogEntry | null> {
  const { reader } = useSession();
  const ids = useIdsWhere(log, 'source', sourceId);
  return useLoaded(async () => {
    for (const id of ids) {
      const entry = await reader.get('log', id);
      if (entry?.kind === 'source') return entry;
    }
    return null;
  }, [reader, ids.join()]);
}
