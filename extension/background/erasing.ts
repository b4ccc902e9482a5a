import { chromiumLimits, type Limits } from '../../src/model/limits';
import { tableNames, type Store } from '../../src/store/store';
import { t } from '../i18n';
import { erase, restore, type ErasedRow } from '../erasing/erase';
import type { ErasingScope } from '../erasing/erase-part';

/** In ms: a little longer than the pages offer to undo. */
const UNDO_TIME = 12_000;

/** What a store has on the disk. */
export interface Files {
  /** To be called before all is deleted, so that what is there and its deletion do not come into one file. */
  readonly merge: () => Promise<void>;
  /** Makes the files forget what was deleted. */
  readonly replace: () => Promise<void>;
}

/** Of a store in memory. */
const noFiles: Files = { merge: () => Promise.resolve(), replace: () => Promise.resolve() };

/**
 * Erases records, and can undo that for a while: the erased rows are held in memory, so they are lost if the background stops. If everything
 * is erased, nothing of it stays on the disk. Of a part, the browser may keep traces in its files until it tidies up.
 */
export class Erasing {
  private erased: readonly ErasedRow[] | null = null;
  private forgetting: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly store: Store,
    private readonly files = noFiles,
    private readonly limits: () => Limits = () => chromiumLimits,
    /** Erases what is in no table of the engine, in a part or with null everything. */
    private readonly eraseOthers: (scope: ErasingScope | null) => Promise<void> = () => Promise.resolve(),
  ) {}

  /** @returns how many rows were erased, or changed as a result */
  async erase(scope: ErasingScope | null): Promise<number> {
    if (scope === null) await this.files.merge();
    // First, so that nothing that waits is registered afterwards.
    await this.eraseOthers(scope);
    const rows = await this.store.write((tx) => erase(tx, scope, this.limits()));
    clearTimeout(this.forgetting);
    this.erased = rows;
    this.forgetting = setTimeout(() => (this.erased = null), UNDO_TIME);
    if (scope === null) await this.files.replace();
    return rows.length;
  }

  /** Erases everything, including what could still be restored. */
  async eraseForGood(): Promise<void> {
    await this.files.merge();
    await this.eraseOthers(null);
    await this.store.write(async (tx) => {
      for (const table of tableNames()) await tx.table(table).clear();
    });
    clearTimeout(this.forgetting);
    this.erased = null;
    await this.files.replace();
  }

  /** @throws Error when nothing can be restored any more */
  async undo(): Promise<void> {
    const { erased } = this;
    if (erased === null) throw new Error(t('background_not_undone'));
    this.erased = null;
    await this.store.write((tx) => restore(tx, erased));
  }
}
