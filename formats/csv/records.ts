/** A row of a table, and the line on which it begins. */
export interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** What is no CSV. `line` counts from 1. */
export class CsvProblem extends Error {
  constructor(readonly line: number) {
    super(`line ${line}`);
  }
}

/** The likeliest first: names of columns can contain the others. Each with the text of a cell without quotes. */
const PLAIN_CELLS = { '\t': /[^\t\r\n]*/y, ',': /[^,\r\n]*/y, ';': /[^;\r\n]*/y };

type Delimiter = keyof typeof PLAIN_CELLS;
const DELIMITERS = Object.keys(PLAIN_CELLS) as Delimiter[];

/** What separates the cells of the first line that is not empty; null: it has one cell, or is no table. */
export function delimiterIn(text: string): Delimiter | null {
  const [first = ''] = /[^\uFEFF\r\n]+/.exec(text) ?? [];
  const plain = first.replace(/"[^"]*"/g, '');
  return DELIMITERS.find((one) => plain.includes(one)) ?? null;
}

/**
 * The records of a table that is in memory (RFC 4180), separated by what its first line with a cell shows: tabs, commas or semicolons. Lines
 * without a cell are left out. Files that do not fit in memory are read by node/rows.ts.
 * @throws CsvProblem where a quoted cell has no end, or goes on after it
 */
export function csvRecords(text: string): readonly CsvRecord[] {
  const delimiter = delimiterIn(text) ?? ',';
  const reader = new CellReader(text.replace(/^\uFEFF/, ''), PLAIN_CELLS[delimiter]);
  const records: CsvRecord[] = [];
  while (!reader.isDone) {
    const { line } = reader;
    const cells = [reader.cell()];
    while (reader.passes(delimiter)) cells.push(reader.cell());
    reader.endLine();
    if (cells.length > 1 || cells[0] !== '') records.push({ line, cells });
  }
  return records;
}

class CellReader {
  line = 1;
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly plain: RegExp,
  ) {}

  get isDone(): boolean {
    return this.at >= this.text.length;
  }

  passes(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  cell(): string {
    if (this.passes('"')) return this.quoted();
    this.plain.lastIndex = this.at;
    const [found = ''] = this.plain.exec(this.text) ?? [];
    this.at += found.length;
    return found;
  }

  /** Two quotes within stand for one. */
  private quoted(): string {
    const begun = this.line;
    let value = '';
    for (;;) {
      const end = this.text.indexOf('"', this.at);
      if (end < 0) throw new CsvProblem(begun);
      const part = this.text.slice(this.at, end);
      this.line += part.split('\n').length - 1;
      value += part;
      this.at = end + 1;
      if (!this.passes('"')) return value;
      value += '"';
    }
  }

  endLine(): void {
    if (this.isDone) return;
    const isBroken = [this.passes('\r'), this.passes('\n')].includes(true);
    if (!isBroken) throw new CsvProblem(this.line);
    this.line += 1;
  }
}
