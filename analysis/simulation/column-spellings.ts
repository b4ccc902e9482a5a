import { WHOLE_WITH_DECIMALS } from '../../formats/csv/decimals';
import { isGap } from '../../formats/csv/gap';
import type { Cells } from './cells';

/** In the order in which a cell is tried. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  ['whole numbers', /^-?\d+$/],
  ['whole numbers with decimals', WHOLE_WITH_DECIMALS],
  ['other numbers', /^-?(\d+(\.\d+)?|\.\d+)$/],
  ['numbers with an exponent', /^-?\d+(\.\d*)?e[+-]?\d+$/i],
  ['True or False', /^(true|false)$/i],
  ['dates', /^\d{4}-\d\d-\d\d/],
];

const LONGEST_EXAMPLE = 20;

/** How the cells of each column are written, so that a person sees what another program made of them. */
export class ColumnSpellings {
  private readonly columns: ReadonlyMap<string, Map<string, { count: number; readonly example: string }>>;

  constructor(columns: Iterable<string>) {
    this.columns = new Map([...columns].map((column) => [column, new Map()]));
  }

  see(cells: Cells): void {
    for (const [column, kinds] of this.columns) {
      const cell = cells(column);
      const kind = kindOf(cell);
      const known = kinds.get(kind);
      if (known === undefined) kinds.set(kind, { count: 1, example: cell.slice(0, LONGEST_EXAMPLE) });
      else known.count += 1;
    }
  }

  /** Columns that are written alike are named together; of a column with several spellings, each has its number. */
  text(): string {
    const alike = new Map<string, { readonly columns: string[]; readonly text: string }>();
    for (const [column, kinds] of this.columns) {
      const isMixed = kinds.size > 1;
      const parts = [...kinds].map(([kind, { count }]) => (isMixed ? `${count} ${kind}` : kind));
      const examples = [...kinds.values()].map(({ example }) => ` (${JSON.stringify(example)})`);
      const text = parts.map((part, index) => `${part}${examples[index] ?? ''}`).join(', ');
      const known = alike.get(parts.join());
      if (known === undefined) alike.set(parts.join(), { columns: [column], text });
      else known.columns.push(column);
    }
    return `columns: ${[...alike.values()].map(({ columns, text }) => `${columns.join(', ')}: ${text}`).join('; ')}`;
  }
}

const kindOf = (cell: string): string =>
  isGap(cell) ? 'empty' : (KINDS.find(([, pattern]) => pattern.test(cell))?.[0] ?? 'texts');
