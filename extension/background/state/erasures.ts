import type { Moment } from '../../../src/model/units';
import { coversRow, type ErasingScope } from '../../erasing/erase-part';
import type { Asked } from './asked';

/** The most erasures of a part that are told apart. */
const MOST = 100;

/** What is kept while the background sleeps. */
interface Kept {
  /** Null: everything. */
  readonly scope: ErasingScope | null;
  /** The browser's number of a request that began afterwards; null if none was seen. */
  readonly next: number | null;
}

interface Erasure extends Kept {
  /** The first one of this run of the background has number 1, the last one before it number 0. */
  readonly number: number;
}

const KEY = { kind: 'erasures', of: 'requests', tabId: -1, id: '' } as const;

/** The browser's session storage. */
interface Memory {
  load(): Promise<readonly { readonly kind: string; readonly value: unknown }[]>;
  set(entry: typeof KEY & { readonly value: readonly Kept[] }): unknown;
}

/**
 * The erasures of this session of the browser. What was asked for before an erasure leaves no trace after it, whatever it waited for meanwhile:
 * a document, a server, its turn. So whoever takes something keeps its `Asked` with it, and whoever records it looks here. Rows of the inbox
 * are deleted instead.
 */
export class Erasures {
  private count = 0;
  /** The oldest first. */
  private erasures: readonly Erasure[] = [];
  /** Resolves when those of earlier runs of the background are known. Nothing may be added or looked for before. */
  readonly loaded: Promise<void>;

  /** @param memory null: they end with the background */
  constructor(private readonly memory: Memory | null = null) {
    this.loaded = (memory?.load() ?? Promise.resolve([])).then(
      (entries) => {
        for (const { kind, value } of entries)
          if (kind === KEY.kind) this.addEarlier(value as readonly Kept[]);
      },
      // Perhaps there were some.
      () => this.addEarlier([{ scope: null, next: null }]),
    );
  }

  /** @param time when it is asked for, on the engine's clock */
  asked(time: Moment): Asked {
    return { erasures: this.count, time };
  }

  /** Of a request whose beginning nobody saw. Both browsers give later requests greater numbers. */
  unseen(requestId: string): Asked {
    const before = this.erasures.findLast(({ next }) => next !== null && Number(requestId) >= next);
    return { erasures: before?.number ?? -Infinity, time: null };
  }

  /** Records that a request began. */
  began(requestId: string, { erasures }: Asked): void {
    const next = Number(requestId);
    if (this.erasures.at(-1)?.next !== null || !Number.isSafeInteger(next)) return;
    this.keep(
      this.erasures.map((one) => (one.next === null && one.number <= erasures ? { ...one, next } : one)),
    );
  }

  /** @param scope null: everything */
  add(scope: ErasingScope | null): void {
    this.count += 1;
    const before = scope === null ? [] : this.erasures;
    this.keep([...before, { number: this.count, scope, next: null }]);
  }

  private addEarlier(kept: readonly Kept[]): void {
    const earlier = kept.map((one, index) => ({ ...one, number: index + 1 - kept.length }));
    this.keep([...earlier, ...this.erasures]);
  }

  private keep(all: readonly Erasure[]): void {
    const [oldest, ...others] = all.slice(-MOST - 1);
    // Too many to tell apart: the oldest takes everything along.
    this.erasures =
      oldest === undefined || all.length <= MOST ? all : [{ ...oldest, scope: null }, ...others];
    this.memory?.set({ ...KEY, value: this.erasures.map(({ scope, next }) => ({ scope, next })) });
  }

  /** Whether something was erased since. */
  cameAfter({ erasures }: Asked): boolean {
    return this.erasures.some(({ number }) => number > erasures);
  }

  /** @param what anything that names its sites somewhere in its texts */
  cover({ erasures, time }: Asked, what: object): boolean {
    return this.erasures.some(
      ({ number, scope }) => number > erasures && (scope === null || coversRow(scope, what, time)),
    );
  }
}
