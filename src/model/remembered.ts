/** In characters: the length of all texts that one memory keeps. What is kept for them does not count, and can be longer. */
const MOST_CHARACTERS = 1_000_000;
/** When the memory is full, it keeps one of this many new texts. */
const ADMITTED = 16;

interface Kept<Value> {
  value: Value;
  /** Whether it was asked for since it came, or since it was last passed over. */
  isUsed: boolean;
}

/** How much a memory keeps. */
interface Bounds {
  /** In characters: longer texts are not kept. */
  readonly longest?: number;
  /** In characters: the length of all kept texts together. */
  readonly mostCharacters?: number;
  /** How many texts are kept. For values that are large beside their texts. */
  readonly mostTexts?: number;
}

/**
 * Remembers values by texts. The values must not be changed.
 *
 * If there are more texts than room, the least recently used would go first in a usual cache. When they come in turn, it would then find none. So a
 * full memory keeps only one new text of `ADMITTED`, and gives up texts that were not asked for. It finds about the share that there is room for.
 */
export class Memory<Value> {
  private readonly known = new Map<string, Kept<Value>>();
  private characters = 0;
  private refused = 0;
  private readonly longest: number;
  private readonly mostCharacters: number;
  private readonly mostTexts: number;

  constructor({ longest = 200, mostCharacters = MOST_CHARACTERS, mostTexts = Infinity }: Bounds = {}) {
    this.longest = longest;
    this.mostCharacters = mostCharacters;
    this.mostTexts = mostTexts;
  }

  get(text: string): Value | undefined {
    if (text.length > this.longest) return undefined;
    const kept = this.known.get(text);
    if (kept === undefined) return undefined;
    kept.isUsed = true;
    return kept.value;
  }

  put(text: string, value: Value): void {
    if (text.length > this.longest) return;
    const kept = this.known.get(text);
    if (kept !== undefined) {
      kept.value = value;
      return;
    }
    if (!this.hasRoom(text) && ++this.refused % ADMITTED !== 0) return;
    while (!this.hasRoom(text) && this.known.size > 0) this.forgetOne();
    this.known.set(text, { value, isUsed: false });
    this.characters += text.length;
  }

  private hasRoom(text: string): boolean {
    return this.characters + text.length <= this.mostCharacters && this.known.size < this.mostTexts;
  }

  /** Forgets the first text that was not asked for. Those before it go to the end, and must be asked for again. */
  private forgetOne(): void {
    for (const [text, kept] of this.known) {
      this.known.delete(text);
      if (!kept.isUsed) {
        this.characters -= text.length;
        return;
      }
      kept.isUsed = false;
      this.known.set(text, kept);
    }
  }
}

/** A function that keeps all its results as long as somebody keeps it, so it is for a small set of keys only. */
export function rememberedByKey<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = compute(key)));
    return value;
  };
}

/** A function that remembers some of its results, by a text of its arguments. */
export function remembered<Arguments extends readonly unknown[], Result>(
  compute: (...given: Arguments) => Result,
  textOf: (...given: Arguments) => string,
  bounds?: Bounds,
): (...given: Arguments) => Result {
  const memory = new Memory<Result>(bounds);
  return (...given) => {
    const text = textOf(...given);
    const before = memory.get(text);
    if (before !== undefined) return before;
    const result = compute(...given);
    memory.put(text, result);
    return result;
  };
}
