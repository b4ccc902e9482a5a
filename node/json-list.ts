import { Utf8Decoder } from './encoding';
import { LONGEST_ROW, NOT_UTF_8, RowError, type Row } from './lines';

/**
 * The values in one JSON list, as the rows of a file, in the chunks in which they arrive. Only what separates them is checked here.
 * @throws RowError
 */
export async function* valuesOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Row<string>[], void, undefined> {
  const [decoder, list] = [new Utf8Decoder(), new JsonList()];
  const refused = (before: number): RowError => new RowError(list.line + before, NOT_UTF_8);
  for await (const bytes of chunks) yield list.valuesIn(decoder.decode(bytes, refused));
  yield list.valuesIn(decoder.decode(null, refused));
  list.end();
}

class JsonList {
  line = 1;
  /** How many lists and objects are open; 0 before the list. */
  private depth = 0;
  private isText = false;
  private isEscaped = false;
  private isOver = false;
  private count = 0;
  /** The value that is incomplete, and the line of its first character. */
  private begun = '';
  private begunAt: number | null = null;

  valuesIn(text: string): readonly Row<string>[] {
    const rows: Row<string>[] = [];
    let from = 0;
    for (let index = 0; index < text.length; index++) {
      const character = text[index] ?? '';
      const isOutside = this.depth === 0;
      if (this.read(character)) rows.push(...this.complete(text.slice(from, index)));
      else if (!isOutside || this.depth === 0) continue;
      from = index + 1;
    }
    this.begun += this.depth === 0 ? '' : text.slice(from);
    if (this.begun.length > LONGEST_ROW)
      throw new RowError(this.line, `must have at most ${LONGEST_ROW} characters, has more`);
    return rows;
  }

  /** @throws RowError unless the list is complete. */
  end(): void {
    if (!this.isOver) throw new RowError(this.line, 'must be a JSON list, which has no end');
  }

  /** Whether the character ends a value of the list. */
  private read(character: string): boolean {
    if (character === '\n') this.line += 1;
    if (this.isText) return this.readText(character);
    if (/\s/.test(character)) return false;
    if (this.isOver) throw new RowError(this.line, 'must be one JSON list, goes on after its end');
    if (this.depth === 1 && (character === ',' || character === ']')) {
      this.isOver = character === ']';
      return true;
    }
    if (this.depth > 0) this.begunAt ??= this.line;
    this.isText = character === '"';
    if (character === '[' || character === '{') this.depth += 1;
    if (character === ']' || character === '}') this.depth -= 1;
    if (this.depth === 0)
      throw new RowError(this.line, `must be a JSON list, has "${character}" in its place`);
    return false;
  }

  private readText(character: string): false {
    if (this.isEscaped) this.isEscaped = false;
    else if (character === '\\') this.isEscaped = true;
    else if (character === '"') this.isText = false;
    return false;
  }

  /** Whatever is no value is refused when it is read; but a list can be empty. */
  private complete(rest: string): readonly Row<string>[] {
    const row = { line: this.begunAt ?? this.line, value: (this.begun + rest).trimStart() };
    [this.begun, this.begunAt] = ['', null];
    if (this.isOver) this.depth = 0;
    this.count += 1;
    return this.isOver && this.count === 1 && row.value.trim() === '' ? [] : [row];
  }
}
