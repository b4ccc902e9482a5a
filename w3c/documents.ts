import type { Moment } from '../src/model/units';
import type { ImpressionOptions } from './options';

/** W3C Attribution, "impression", in the impression store. */
export interface Impression extends ImpressionOptions {
  /** The number of the call that saved it. */
  readonly id: number;
  readonly site: string;
  /** The site that called the API from a frame; null if the impression site did. */
  readonly intermediarySite: string | null;
  readonly time: Moment;
}

/** What is left of a budget or quota, in microepsilons. Without a document, all of it is left. */
export interface Budget {
  readonly id: string;
  /** The budget of a conversion site, that of all sites together, or the quota of an impression site. */
  readonly kind: BudgetKind;
  readonly epoch: number;
  /** Null for all sites together. */
  readonly site: string | null;
  readonly left: number;
}

export type BudgetKind = 'site' | 'all' | 'quota';

/** What there is once. */
export interface ApiState {
  /** Null until an epoch is first needed. */
  readonly epochStart: Moment | null;
  /** When browsing history was last cleared. */
  readonly lastClear: Moment | null;
  /** How many calls came. Each draws its randomness by its number, so a seed decides the same whenever the program starts anew. */
  readonly calls: number;
}

export const firstState: ApiState = { epochStart: null, lastClear: null, calls: 0 };

/** What a decision reads. */
export interface View {
  readonly state: ApiState;
  readonly impressions: readonly Impression[];
  /** Undefined where nothing was deducted. */
  budget(id: string): Budget | undefined;
  readonly budgets: readonly Budget[];
}

/** What a decision changes: documents as they will be, null if they will be gone. */
export interface Changes {
  readonly state: ApiState;
  readonly impressions: ReadonlyMap<number, Impression | null>;
  readonly budgets: ReadonlyMap<string, Budget | null>;
}

/** Collects what one decision changes. Nothing has happened before somebody applies it. */
export class Draft implements Changes {
  readonly impressions = new Map<number, Impression | null>();
  readonly budgets = new Map<string, Budget | null>();

  constructor(
    readonly before: View,
    public state = before.state,
  ) {}

  /** The number of a new call. */
  count(): number {
    this.state = { ...this.state, calls: this.state.calls + 1 };
    return this.state.calls;
  }

  /** @param most what there is at the beginning */
  left(kind: BudgetKind, epoch: number, site: string | null, most: number): number {
    const id = idOf(kind, epoch, site);
    const changed = this.budgets.get(id);
    return (changed === undefined ? this.before.budget(id) : (changed ?? undefined))?.left ?? most;
  }

  leave(kind: BudgetKind, epoch: number, site: string | null, left: number): void {
    const id = idOf(kind, epoch, site);
    this.budgets.set(id, { id, kind, epoch, site, left });
  }
}

const idOf = (kind: BudgetKind, epoch: number, site: string | null): string =>
  `${kind} ${epoch} ${site ?? ''}`;
