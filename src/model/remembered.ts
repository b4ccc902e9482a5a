/** In characters: the length of all texts that one memory keeps. What is kept for them does not count, and can be longer. */
const MOST_CHARACTERS = 1_000_000;
/** One new text in so many gets into a full memory. */
const ADMITTED = 16;

interface Kept<Value> {
  value: Value;
  /** Whether somebody asked for it since it came, or since there was last no room. */
  isUsed: boolean;
}

/**
 * Some of what was computed, by texts, so that it is not computed again. What is put in must not be changed. In a full memory, what nobody asked for
 * goes first, and most new texts stay outside. So of more texts in turn than there is room for, about that share is found, and not none.
 */
export class Memory<Value> {
  private readonly known = new Map<string, Kept<Value>>();
  private characters = 0;
  private refused = 0;

  /**
   * @param longest longer texts are not kept.
   * @param most how many characters all kept texts may have together.
   */
  constructor(
    private readonly longest = 200,
    private readonly most = MOST_CHARACTERS,
  ) {}

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
    if (this.characters + text.length > this.most && ++this.refused % ADMITTED !== 0) return;
    while (this.characters + text.length > this.most && this.known.size > 0) this.forgetOne();
    this.known.set(text, { value, isUsed: false });
    this.characters += text.length;
  }

  /** The first that is not used. Those before it get another turn. */
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

/** A function that remembers some of its results, by a text of its arguments. @param longest results for longer texts are not kept. */
export function remembered<Arguments extends readonly unknown[], Result>(
  compute: (...given: Arguments) => Result,
  textOf: (...given: Arguments) => string,
  longest?: number,
): (...given: Arguments) => Result {
  const memory = new Memory<Result>(longest);
  return (...given) => {
    const text = textOf(...given);
    const before = memory.get(text);
    if (before !== undefined) return before;
    const result = compute(...given);
    memory.put(text, result);
    return result;
  };
}
