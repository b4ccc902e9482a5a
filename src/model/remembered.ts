const MOST = 1000;

/** Some of what was computed, by texts, so that it is not computed again. What is put in must not be changed. */
export class Memory<Value> {
  private readonly known = new Map<string, Value>();

  /** @param longest of a longer text nothing is kept. */
  constructor(private readonly longest = 200) {}

  get(text: string): Value | undefined {
    return text.length > this.longest ? undefined : this.known.get(text);
  }

  put(text: string, value: Value): void {
    if (text.length > this.longest) return;
    if (this.known.size === MOST) this.known.clear();
    this.known.set(text, value);
  }
}

/** A function that remembers all its results. It must be called with few different keys. */
export function rememberedByKey<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = compute(key)));
    return value;
  };
}

/**
 * A function that remembers some of its results, by a text of its arguments.
 * @param longest of a longer text no result is kept
 */
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

/** `remembered` for a function of a text. */
export const rememberedByText = <Text extends string, Result>(
  compute: (text: Text) => Result,
): ((text: Text) => Result) => remembered(compute, (text) => text);
