import type { CreditCounts } from '../analysis/credits/credit-counts';
import type { TallyEntries } from '../analysis/simulation/tally';
import type { Simulation } from '../analysis/simulation/user';
import type { Compression } from './compression';

export interface PoolSetup extends Omit<Simulation, 'limits'> {
  /** Null: the system's randomness. */
  readonly seed: string | null;
  readonly withUsers: boolean;
  /** The ε that every source registers; null: its own. */
  readonly sourceEpsilon: number | null;
  /** The column of the source log by which credits are compared; null: they are not. */
  readonly channel: string | null;
  readonly compression: Compression;
  /** Null: no source log is written. */
  readonly sourcesCompression: Compression | null;
}

export type BatchResult =
  | {
      readonly kind: 'done';
      readonly bytes: Uint8Array;
      readonly sources: Uint8Array;
      readonly tally: TallyEntries;
      /** Null: credits are not compared. */
      readonly credits: CreditCounts | null;
    }
  | { readonly kind: 'bad-line'; readonly message: string };

/** Yields results in the order of the items, and works on a limited number of items at once. */
export async function* inOrder<Item, Result>(
  items: AsyncIterable<Item>,
  work: (item: Item) => Promise<Result>,
  atOnce: number,
): AsyncGenerator<readonly [Item, Result], void, undefined> {
  const begun: { readonly item: Item; readonly result: Promise<Result> }[] = [];
  const first = async (): Promise<readonly [Item, Result] | null> => {
    const next = begun.shift();
    return next === undefined ? null : [next.item, await next.result];
  };
  for await (const item of items) {
    const result = work(item);
    // The loop looks at it later; until then a failure must not count as unhandled.
    result.catch(() => undefined);
    begun.push({ item, result });
    const done = begun.length < atOnce ? null : await first();
    if (done !== null) yield done;
  }
  for (let done = await first(); done !== null; done = await first()) yield done;
}
