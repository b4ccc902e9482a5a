import { addSource, countsOf, deleteSources } from '../../src/attribution/remove-sources';
import { addReport, countsOfReport, replaceReport } from '../../src/reports/pending';
import type { Limits } from '../../src/model/limits';
import { BufferedDraft, type Draft, type Need } from '../../src/store/draft';
import { tableNames, type Rows, type TableName } from '../../src/store/rows';
import type { Transaction } from '../../transactions/store';
import { allRows, viewOf } from './all-rows';
import { erasePart, type ErasingScope } from './erase-part';
import { eraseUnits, restoreAccount } from './erase-spends';
import { restored } from './erase-uses';

/** A row before it was erased, or changed because another row was. */
export interface ErasedRow {
  readonly table: TableName;
  readonly row: Rows[TableName];
  /** `moved`: an account whose spends count for all units of its kind now. */
  readonly was: 'deleted' | 'changed' | 'moved';
}

/** Erases a part of the records, or with null everything but what was spent. @returns the rows as they were before, without those that only count others */
export async function erase(
  tx: Transaction,
  scope: ErasingScope | null,
  limits: Limits,
): Promise<readonly ErasedRow[]> {
  const rows = await allRows(tx);
  const view = viewOf(rows);
  const draft = new BufferedDraft(view);
  const erased: ErasedRow[] = [];
  if (scope === null) {
    for (const table of tableNames()) {
      if (table === 'accounts') continue;
      await tx.table(table).clear();
      if (!isCount(table)) for (const row of rows[table]) erased.push({ table, row, was: 'deleted' });
    }
    eraseUnits(draft, rows.accounts);
  } else erasePart(draft, rows, scope, limits);
  for (const [table, changed] of draft.changes)
    for (const [id, row] of changed) {
      if (row === null) tx.table(table).delete(id);
      else tx.table(table).put(row);
      const before = view.get<TableName>(table, id);
      if (before !== undefined && !isCount(table))
        erased.push({ table, row: before, was: wasOf(table, row) });
    }
  return erased;
}

function wasOf(table: TableName, left: object | null): ErasedRow['was'] {
  if (left !== null) return 'changed';
  return table === 'accounts' ? 'moved' : 'deleted';
}

/** Brings erased rows back. What was recorded since stays. */
export async function restore(tx: Transaction, erased: readonly ErasedRow[]): Promise<void> {
  const needs = erased.flatMap(({ table, row }): Need[] => [
    { of: table, id: row.id },
    ...(table === 'sources' ? countsOf(row as Rows['sources']) : []),
    ...(table === 'reports' ? countsOfReport(row as Rows['reports']) : []),
  ]);
  await tx.decide(needs, (draft) => {
    for (const one of erased) restoreRow(draft, one);
  });
}

function restoreRow(draft: Draft, { table, row, was }: ErasedRow): void {
  if (table === 'accounts') {
    // One that changed got what others spent, which their own rows take back.
    if (was !== 'changed') restoreAccount(draft, row as Rows['accounts'], was === 'moved');
    return;
  }
  const now = draft.get<TableName>(table, row.id);
  if (table in restored && now !== undefined) {
    // The row is of this table, which TypeScript loses.
    const merge = restored[table as keyof typeof restored] as (before: unknown, since: unknown) => never;
    draft.put(table, merge(row, now));
  } else if (was === 'changed') {
    // A changed report may have been sent since. Restoring it would send it again.
    if (now === undefined) return;
    // Its scopes may have been removed since, so it is counted anew.
    if (table === 'sources') recountSource(draft, row as Rows['sources']);
    // It may have been tried since.
    else if (table === 'reports') replaceReport(draft, now as Rows['reports'], row as Rows['reports']);
    else draft.put<TableName>(table, row);
  } else if (table === 'sources') addSource(draft, row as Rows['sources']);
  else if (table === 'reports') addReport(draft, row as Rows['reports']);
  else draft.put(table, row as never);
}

function recountSource(draft: Draft, source: Rows['sources']): void {
  deleteSources(draft, [source.id]);
  addSource(draft, source);
}

/** Whether the rows of a table follow from those of others. */
const isCount = (table: TableName): boolean =>
  ['sourceReports', 'originUse', 'destinationUse', 'candidateUse'].includes(table);
