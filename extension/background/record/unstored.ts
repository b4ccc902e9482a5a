import type { Occasion } from '../../../src/model/decision';
import { coversRow, type ErasingScope } from '../../erasing/erase-part';

interface Seen {
  readonly occasion: Pick<Occasion, 'time' | 'contextOrigin' | 'reportingOrigin'>;
}

/** Something that waits for its turn. */
export interface Waiting {
  readonly seen: Seen;
}

/** What waits to be registered or logged without a row of the inbox: it ends with the background, but it is erased like the rows. */
export class Unstored {
  private readonly waiting = new Set<Waiting>();

  add(seen: Seen): Waiting {
    const one = { seen };
    this.waiting.add(one);
    return one;
  }

  /** False once it has had its turn, or was erased. */
  has(one: Waiting): boolean {
    return this.waiting.has(one);
  }

  remove(one: Waiting): void {
    this.waiting.delete(one);
  }

  /** @param scope null: everything */
  erase(scope: ErasingScope | null): void {
    for (const one of this.waiting)
      if (scope === null || coversRow(scope, one.seen, one.seen.occasion.time)) this.remove(one);
  }
}
