/** A row of a text, and the line where it begins, counted from 1. */
export interface Row<T> {
  readonly line: number;
  readonly value: T;
}

/**
 * The lines of UTF-8 text that are not blank, as many at a time as came in.
 * @param first the number of the first line.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  first = 1,
): AsyncGenerator<readonly Row<string>[], void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = first - 1;
  const rowsOf = (texts: readonly string[]): readonly Row<string>[] =>
    texts.flatMap((value) => {
      line += 1;
      return value.trim() === '' ? [] : [{ line, value }];
    });
  let rest = '';
  for await (const bytes of chunks) {
    // Only what came in is searched: one line can take many chunks.
    const texts = decoder.decode(bytes, { stream: true }).split('\n');
    texts[0] = rest + (texts[0] ?? '');
    rest = texts.pop() ?? '';
    if (texts.length > 0) yield rowsOf(texts);
  }
  yield rowsOf([rest + decoder.decode()]);
}
