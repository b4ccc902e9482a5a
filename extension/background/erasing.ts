import { tableNames, type Store, type Transaction } from '../../src/store/store';
import { t } from '../i18n';
import { erasePart, type ErasedRow, type ErasingScope } from '../../src/erasing/erase-part';

/** How long what was erased can be brought back: a little longer than the pages offer it. */
const UNDO_TIME = 12_000;

/**
 * Erases what was recorded, and can take that back for a while. Meanwhile it is held in memory only: it is off the disk at
 * once, and gone for good should the background end.
 */
export class Erasing {
  private erased: readonly ErasedRow[] | null = null;
  private forgetting: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly store: Store) {}

  /** @returns how many rows were erased, or changed because others were. */
  async erase(scope: ErasingScope | null): Promise<number> {
    const rows = await this.store.write((tx) => (scope === null ? eraseAll(tx) : erasePart(tx, scope)));
    clearTimeout(this.forgetting);
    this.erased = rows;
    this.forgetting = setTimeout(() => (this.erased = null), UNDO_TIME);
    return rows.length;
  }

  /** Erases everything, also what could still be brought back. */
  async eraseForGood(): Promise<void> {
    await this.store.write(async (tx) => {
      for (const table of tableNames()) await tx.table(table).clear();
    });
    clearTimeout(this.forgetting);
    this.erased = null;
  }

  /** @throws Error when there is nothing to bring back any more. */
  async undo(): Promise<void> {
    const { erased } = this;
    if (erased === null) throw new Error(t('background_not_undone'));
    this.erased = null;
    await this.store.write(async (tx) => {
      for (const { table, row, was } of erased) {
        // A report that was changed may have been sent since; it must not be sent again.
        const isThere = was === 'deleted' || (await tx.table(table).get(row.id)) !== undefined;
        if (isThere) await tx.table(table).put(row);
      }
    });
  }
}

async function eraseAll(tx: Transaction): Promise<readonly ErasedRow[]> {
  const erased: ErasedRow[] = [];
  for (const table of tableNames()) {
    for (const row of await tx.table(table).latest(Infinity)) erased.push({ table, row, was: 'deleted' });
    await tx.table(table).clear();
  }
  return erased;
}
