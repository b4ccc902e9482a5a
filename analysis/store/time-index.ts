/** A row and one of its times. */
interface Entry<Id> {
  readonly time: number;
  readonly id: Id;
}

/** The soonest of some rows: a binary heap. An entry that is no longer true of its row stays until its time, and is then left out. */
export class TimeIndex<Id extends string | number> {
  private readonly heap: Entry<Id>[] = [];

  /** @param isTrue whether the row with this id has this time now. */
  constructor(private readonly isTrue: (id: Id, time: number) => boolean) {}

  /** Notes that the row has this time now. */
  add(time: number, id: Id): void {
    const { heap } = this;
    const entry = { time, id };
    let place = heap.length;
    for (let above = (place - 1) >> 1; place > 0; above = (place - 1) >> 1) {
      const other = heap[above];
      if (other === undefined || !precedes(entry, other)) break;
      heap[place] = other;
      place = above;
    }
    heap[place] = entry;
  }

  /** The ids up to a time, by ascending time and then id. */
  upTo(last: number): readonly Id[] {
    let soonest = this.soonest();
    if (soonest === undefined || soonest.time > last) return NONE;
    const found: Entry<Id>[] = [];
    for (; soonest !== undefined && soonest.time <= last; soonest = this.soonest()) {
      this.removeSoonest();
      const before = found.at(-1);
      // A row that was removed and put back has two.
      if (before?.id !== soonest.id || before.time !== soonest.time) found.push(soonest);
    }
    for (const { time, id } of found) this.add(time, id);
    return found.map(({ id }) => id);
  }

  /** The id with the smallest time above `after`. */
  first(after: number): Id | undefined {
    let first = this.soonest();
    if (first === undefined || first.time > after) return first?.id;
    first = undefined;
    for (const entry of this.heap)
      if (
        entry.time > after &&
        (first === undefined || precedes(entry, first)) &&
        this.isTrue(entry.id, entry.time)
      )
        first = entry;
    return first?.id;
  }

  private soonest(): Entry<Id> | undefined {
    for (;;) {
      const first = this.heap[0];
      if (first === undefined || this.isTrue(first.id, first.time)) return first;
      this.removeSoonest();
    }
  }

  /** Moves the last entry from the top to where it belongs. */
  private removeSoonest(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const [one, other] = [heap[left], heap[left + 1]];
      if (one === undefined) break;
      const isRight = other !== undefined && precedes(other, one);
      const below = isRight ? other : one;
      if (!precedes(below, last)) break;
      heap[place] = below;
      place = isRight ? left + 1 : left;
    }
    heap[place] = last;
  }
}

const NONE: readonly never[] = [];

const precedes = <Id extends string | number>(a: Entry<Id>, b: Entry<Id>): boolean =>
  a.time < b.time || (a.time === b.time && a.id < b.id);
