/** V8's `Map` throws a RangeError when it gets one entry more. */
const MOST_ENTRIES = 2 ** 24;

/** A map of any number of entries, as one `Map` for each 16.7 million of them: a log of a month can have more. */
export class LargeMap<Key, Value extends object | number | true> {
  private readonly parts: Map<Key, Value>[] = [new Map<Key, Value>()];

  /** @param most entries of a part; given in tests */
  constructor(private readonly most = MOST_ENTRIES) {}

  get(key: Key): Value | undefined {
    for (const part of this.parts) {
      const value = part.get(key);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  has(key: Key): boolean {
    return this.partWith(key) !== undefined;
  }

  set(key: Key, value: Value): void {
    (this.partWith(key) ?? this.partWithRoom()).set(key, value);
  }

  *keys(): Generator<Key> {
    for (const part of this.parts) yield* part.keys();
  }

  private partWith(key: Key): Map<Key, Value> | undefined {
    return this.parts.find((part) => part.has(key));
  }

  private partWithRoom(): Map<Key, Value> {
    const last = this.parts.at(-1);
    if (last !== undefined && last.size < this.most) return last;
    const added = new Map<Key, Value>();
    this.parts.push(added);
    return added;
  }
}
