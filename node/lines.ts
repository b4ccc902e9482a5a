import { Utf8Decoder, type DecoderOptions } from './encoding';

/** A row of a text, and its first line, counted from 1. */
export interface Row<T> {
  readonly line: number;
  readonly value: T;
}

/** A row that cannot be read. */
export class RowError extends Error {
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * In characters. Each registration header has at most 128 KiB, so no row of ours comes near it, and a row is held in memory as a whole,
 * whatever reads the file.
 */
export const LONGEST_ROW = 1 << 24;

export const NOT_UTF_8 = 'must be UTF-8, has bytes that are not UTF-8 (save it as UTF-8)';

interface LineOptions extends DecoderOptions {
  readonly first?: number;
  readonly longest?: number;
}

/**
 * The lines of UTF-8 text that are not blank, in the chunks in which they arrive.
 * @param first the number of the first line.
 * @throws RowError for a line longer than `longest`, before it is read to its end, and for invalid UTF-8.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { first = 1, longest = LONGEST_ROW, ...decoding }: LineOptions = {},
): AsyncGenerator<readonly Row<string>[], void, undefined> {
  const decoder = new Utf8Decoder(decoding);
  let line = first - 1;
  const check = (value: string): void => {
    if (value.length > longest) throw new RowError(line, `must have at most ${longest} characters, has more`);
  };
  const rowsOf = (texts: readonly string[]): readonly Row<string>[] =>
    texts.flatMap((value) => {
      line += 1;
      check(value);
      return value.trim() === '' ? [] : [{ line, value }];
    });
  const refused = (before: number): RowError => new RowError(line + 1 + before, NOT_UTF_8);
  let rest = '';
  for await (const bytes of chunks) {
    // Searches only the new chunk: a line can take many chunks.
    const texts = decoder.decode(bytes, refused).split('\n');
    texts[0] = rest + (texts[0] ?? '');
    rest = texts.pop() ?? '';
    if (texts.length > 0) yield rowsOf(texts);
    // Before the line is complete, which it may never be.
    if (rest.length > longest) rowsOf([rest]);
  }
  yield rowsOf([rest + decoder.decode(null, refused)]);
}

/** In characters. A file of developer tools holds the bodies of all answers. */
const LONGEST_DOCUMENT = 1 << 27;

/**
 * UTF-8 text as one row.
 * @throws RowError for a longer one than `longest`, before it is read to its end, and for invalid UTF-8.
 */
export async function* documentOf(
  chunks: AsyncIterable<Uint8Array>,
  longest = LONGEST_DOCUMENT,
): AsyncGenerator<readonly Row<string>[], void, undefined> {
  const decoder = new Utf8Decoder();
  const texts: string[] = [];
  let [length, line] = [0, 1];
  const refused = (before: number): RowError => new RowError(line + before, NOT_UTF_8);
  for await (const bytes of chunks) {
    const text = decoder.decode(bytes, refused);
    line += text.split('\n').length - 1;
    length += text.length;
    if (length > longest) throw new RowError(line, `must end after at most ${longest} characters, goes on`);
    texts.push(text);
  }
  texts.push(decoder.decode(null, refused));
  yield [{ line: 1, value: texts.join('') }];
}
