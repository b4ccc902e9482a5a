import type { Rows } from '../../../src/store/store';
import type { ShownTable } from './reader';

/** A value as it is sorted, exported and put into addresses, the same in every language; times are milliseconds. */
export type Cell = string | number | null;

export type Tone = 'good' | 'warn' | 'bad' | 'soft';

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly value: (row: Row) => Cell;
  /** How it is shown; as text unless said. */
  readonly as?: 'time' | 'number' | 'origin';
  /** What is shown for a value, where that is not the value itself. */
  readonly label?: (cell: Cell) => string;
  readonly tone?: (cell: Cell) => Tone | undefined;
  /** In pixels. */
  readonly width: number;
  /** Whether rows can be filtered by its values, which then should be few. */
  readonly facet?: boolean;
  /** Shown only when a person chooses it. */
  readonly optional?: boolean;
  /** True: it tells what randomized response protects, and is shown in debug mode only. False: it stands in for one that does. */
  readonly truth?: boolean;
}

/** A row of which one table of the pages is made: a stored row, or what two stored tables say of one thing. */
export interface TableDefinition<Row> {
  /** As in the address: `#/sources`. */
  readonly name: string;
  readonly title: string;
  /** What to say, and to do, when there is none. */
  readonly empty: string;
  readonly columns: readonly Column<Row>[];
  /** The stored tables it is read from; where both have an id, the later one counts. Null leaves a row out. */
  readonly from: readonly From<Row, ShownTable>[];
  /** The sites it is about. */
  readonly sites: (row: Row) => readonly string[];
}

export interface From<Row, Name extends ShownTable> {
  readonly table: Name;
  readonly project: (row: Rows[Name]) => Row | null;
}

/** Keeps the row's type with the name of its table, which a list of several tables forgets. */
export const from = <Row, Name extends ShownTable>(
  table: Name,
  project: (row: Rows[Name]) => Row | null,
): From<Row, ShownTable> => ({ table, project }) as unknown as From<Row, ShownTable>;

/** A row as the tables keep it: only what they show, so that 100,000 of them fit. */
export interface Item {
  readonly id: number;
  /** In the order of the columns. */
  readonly cells: readonly Cell[];
  /** What it is found by, in lower case: outside debug mode, and in it. */
  readonly text: string;
  readonly truthText: string;
  readonly sites: readonly string[];
}

export function itemOf<Row>({ columns, sites }: TableDefinition<Row>, id: number, row: Row): Item {
  const cells = columns.map(({ value }) => value(row));
  const words = columns.map((column, index) => searchedWords(column, cells[index] ?? null));
  const textWith = (truth: boolean): string =>
    `#${id} ${words.filter((_, index) => isAllowed(columns[index], truth)).join(' ')}`.toLowerCase();
  const text = textWith(false);
  const hasTruth = columns.some(({ truth }) => truth !== undefined);
  return { id, cells, text, truthText: hasTruth ? textWith(true) : text, sites: sites(row) };
}

const isAllowed = (column: Pick<Column<never>, 'truth'> | undefined, truth: boolean): boolean =>
  column?.truth !== !truth;

/** A column by its key, and where it is in an item's cells. */
export interface Placed {
  readonly key: string;
  readonly index: number;
}

/** The columns that may be shown, sorted and searched. */
export const allowedColumns = <Row>(
  columns: readonly Column<Row>[],
  truth: boolean,
): readonly (Column<Row> & Placed)[] =>
  columns.flatMap((column, index) => (isAllowed(column, truth) ? [{ ...column, index }] : []));

/** What a cell is found by: the value and, where another is shown for it, that too. */
function searchedWords({ as, label }: Pick<Column<never>, 'as' | 'label'>, cell: Cell): Cell {
  if (as === 'time' || cell === null) return '';
  const shown = label?.(cell) ?? cell;
  return shown === cell ? cell : `${cell} ${shown}`;
}

/** Where in an item's cells a column is. */
export const columnIndex = (columns: readonly { readonly key: string }[], key: string): number =>
  columns.findIndex((column) => column.key === key);
