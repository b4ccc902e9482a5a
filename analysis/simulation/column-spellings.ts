import { WHOLE_WITH_DECIMALS } from '../../formats/csv/decimals';
import { isGap } from '../../formats/csv/gap';
import { RoundedNumbers } from '../../formats/csv/rounded-numbers';
import type { Cells } from './cells';

const WHOLE = 'whole numbers';
const ROUNDED =
  ', all with no more digits than floating-point numbers have: if they went through one, different ones may have become equal';
/** In characters: shorter numbers have all their digits in any program, and longer ones have more than 64 bits. */
const LARGE = [16, 20] as const;

/** In the order in which a cell is tried. */
const KINDS: readonly (readonly [string, RegExp])[] = [
  [WHOLE, /^-?\d+$/],
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

  private readonly large: ReadonlyMap<string, RoundedNumbers>;

  constructor(columns: Iterable<string>) {
    const names = [...columns];
    this.columns = new Map(names.map((column) => [column, new Map()]));
    this.large = new Map(names.map((column) => [column, new RoundedNumbers()]));
  }

  see(cells: Cells): void {
    for (const [column, kinds] of this.columns) {
      const cell = cells(column);
      const kind = kindOf(cell);
      const known = kinds.get(kind);
      if (kind === WHOLE && cell.length >= LARGE[0] && cell.length <= LARGE[1])
        this.large.get(column)?.see(BigInt(cell));
      if (known === undefined) kinds.set(kind, { count: 1, example: cell.slice(0, LONGEST_EXAMPLE) });
      else known.count += 1;
    }
  }

  /** Columns that are written alike are named together; of a column with several spellings, each has its number. */
  text(): string {
    const alike = new Map<string, { readonly columns: string[]; readonly text: string }>();
    for (const [column, kinds] of this.columns) {
      const isMixed = kinds.size > 1;
      const parts = [...kinds].map(([kind, { count }]) => {
        const isRounded = kind === WHOLE && this.large.get(column)?.areRounded === true;
        return `${isMixed ? `${count} ` : ''}${kind}${isRounded ? ROUNDED : ''}`;
      });
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
