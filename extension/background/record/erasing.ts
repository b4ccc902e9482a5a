import { chromiumLimits, type Limits } from '../../../src/model/limits';
import type { InternalId, Source } from '../../../src/model/records';
import { tableNames } from '../../../src/store/rows';
import type { Store } from '../../../transactions/store';
import { t } from '../../i18n';
import { erase, restore, type ErasedRow } from '../../erasing/erase';
import type { ErasingScope } from '../../erasing/erase-part';
import type { Inbox } from './inbox';

/** In ms: a little longer than the pages offer to undo. */
const UNDO_TIME = 12_000;

/** What a store has on the disk. */
export interface Files {
  /** To be called before all is deleted, so that what is there and its deletion do not come into one file. */
  readonly merge: () => Promise<void>;
  /** Makes the files forget what was deleted. */
  readonly replace: () => Promise<void>;
}

/** What else there is to erase, and to erase by. */
interface Beside {
  readonly files: Files;
  readonly inbox: Pick<Inbox, 'erase'>;
  /** Ends requests that were asked for before the erasure. */
  readonly stopRequests: () => void;
  /** Ends requests with these reports, which are erased or changed. */
  readonly stopReports: (erased: readonly InternalId[]) => void;
  /** The engine's. */
  readonly limits: () => Limits;
  /** Forgets the collectors of earlier settings. @returns what brings them back */
  readonly forgetAddressees: () => Promise<() => Promise<void>>;
  /** Erases what other APIs keep. */
  readonly others: (
    scope: ErasingScope | null,
  ) => Promise<{ readonly count: number; readonly restore: () => Promise<void> }>;
  /** Forgets the tokens of the participation, which only its end does. */
  readonly forgetTokens: () => Promise<void>;
  /** Forgets the arms of lift tests. Only the end of the participation does: it also forgets what was spent on telling of them. */
  readonly forgetArms: () => Promise<void>;
  /** @returns what takes the arms from a source that comes back, if its lift test has ended meanwhile */
  readonly armsWhileErased: () => (source: Source) => Source;
}

const nothing = (): Promise<void> => Promise.resolve();

/** Of a store in memory alone. */
const nothingBeside: Beside = {
  files: { merge: nothing, replace: nothing },
  inbox: { erase: nothing },
  stopRequests: () => undefined,
  stopReports: () => undefined,
  limits: () => chromiumLimits,
  forgetAddressees: () => Promise.resolve(nothing),
  others: () => Promise.resolve({ count: 0, restore: nothing }),
  forgetTokens: nothing,
  forgetArms: nothing,
  armsWhileErased: () => (source) => source,
};

/** What can be brought back. */
interface Restorable {
  readonly rows: readonly ErasedRow[];
  readonly armOf: (source: Source) => Source;
  readonly restoreOthers: readonly (() => Promise<void>)[];
}

/** What one erasure did. */
export interface Erased {
  /** How many rows were erased, or changed as a result. */
  readonly count: number;
  /**
   * To be called when the pages learn that it is erased: they offer to undo it from then on, and on a loaded machine that comes late. It can
   * be undone for `UNDO_TIME` then.
   */
  readonly endUndo: () => void;
}

/**
 * Erases records, and can undo that for a while: the erased rows are held in memory, so they are lost if the background stops. If everything
 * is erased, nothing of it stays on the disk. Of a part, the browser may keep traces in its files until it tidies up.
 */
export class Erasing {
  private restorable: Restorable | null = null;

  private readonly beside: Beside;

  constructor(
    private readonly store: Store,
    beside: Partial<Beside> = {},
  ) {
    this.beside = { ...nothingBeside, ...beside };
  }

  async erase(scope: ErasingScope | null): Promise<Erased> {
    const { files, limits } = this.beside;
    if (scope === null) await files.merge();
    const armOf = this.beside.armsWhileErased();
    // First, so that nothing that was there is registered afterwards.
    await this.eraseWaiting(scope);
    const rows = await this.store.write((tx) => erase(tx, scope, limits()));
    // Before anything that can fail.
    this.beside.stopReports(reportsIn(rows));
    const others = await this.beside.others(scope);
    const restoreAddressees = scope === null ? await this.beside.forgetAddressees() : nothing;
    const restorable = { rows, armOf, restoreOthers: [restoreAddressees, others.restore] };
    this.restorable = restorable;
    const endUndo = (): void => {
      setTimeout(() => {
        if (this.restorable === restorable) this.restorable = null;
      }, UNDO_TIME);
    };
    try {
      if (scope === null) await files.replace();
    } catch (error) {
      endUndo();
      throw error;
    }
    return { count: rows.length + others.count, endUndo };
  }

  /** Erases everything, including what could still be restored. */
  async eraseForGood(): Promise<void> {
    const { files } = this.beside;
    this.restorable = null;
    await files.merge();
    await this.eraseWaiting(null);
    await this.store.write(async (tx) => {
      for (const table of tableNames()) await tx.table(table).clear();
    });
    await this.beside.others(null);
    await this.beside.forgetAddressees();
    await this.beside.forgetTokens();
    await this.beside.forgetArms();
    await files.replace();
  }

  /** Erases what is not recorded yet. */
  private async eraseWaiting(scope: ErasingScope | null): Promise<void> {
    const erased = this.beside.inbox.erase(scope);
    this.beside.stopRequests();
    await erased;
  }

  /** @throws Error when nothing can be restored any more */
  async undo(): Promise<void> {
    const { restorable } = this;
    if (restorable === null) throw new Error(t('background_not_undone'));
    this.restorable = null;
    await this.store.write((tx) => restore(tx, armsOf(restorable)));
    for (const restoreOther of restorable.restoreOthers) await restoreOther();
  }
}

/** What comes back, with the arms that its sources may still have. */
const armsOf = ({ rows, armOf }: Restorable): readonly ErasedRow[] =>
  rows.map((one) => (one.table === 'sources' ? { ...one, row: armOf(one.row as Source) } : one));

/** The reports that are not what they were. */
const reportsIn = (rows: readonly ErasedRow[]): readonly InternalId[] =>
  rows.filter(({ table }) => table === 'reports').map(({ row }) => row.id as InternalId);
