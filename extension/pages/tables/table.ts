import type { Rows } from '../../../src/store/rows';
import { t, type MessageName } from '../../i18n';
import type { Tone } from '../words/tone';
import type { ShownTable } from '../data/reader';

/** A value as it is sorted, exported and put into addresses, the same in every language; times in ms. */
export type Cell = string | number | null;

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  readonly value: (row: Row) => Cell;
  /** Text by default. */
  readonly as?: 'time' | 'number' | 'origin';
  readonly label?: (cell: Cell) => string;
  readonly tone?: (cell: Cell) => Tone | undefined;
  /** Whether it stays in view beside the number, because it says what became of the row. */
  readonly outcome?: true;
  /** Whether rows can be filtered by its values, which should be few. */
  readonly facet?: boolean;
  /** Hidden until a person chooses it. */
  readonly optional?: boolean;
  /** True: the column reveals what randomized response protects, so only debug mode shows it. False: it replaces such a column. */
  readonly truth?: boolean;
}

/** The keys whose title has a message. */
type TitledKey = MessageName extends infer Name
  ? Name extends `tables_column_${infer Key}`
    ? Key
    : never
  : never;

/** A column under the title of its key, unless another one is given. */
export const column = <Row>(
  key: TitledKey,
  value: Column<Row>['value'],
  more: Partial<Omit<Column<Row>, 'key' | 'value'>> = {},
): Column<Row> => ({ key, title: t(`tables_column_${key}`), value, ...more });

/** `Row` is a stored row, or what two stored tables say about one thing. */
export interface TableDefinition<Row> {
  /** As in the address: `#/sources`. */
  readonly name: string;
  readonly title: string;
  /** What to say, and to do, when the table is empty. */
  readonly empty: string;
  readonly columns: readonly Column<Row>[];
  /** The stored tables to read. If an id is in several, the later table counts. Null omits a row. */
  readonly from: readonly From<Row, ShownTable>[];
  readonly sites: (row: Row) => readonly string[];
  /** The key of the column by which rows are sorted at first, greatest first. Left out: their numbers. */
  readonly order?: string;
}

export interface From<Row, Name extends ShownTable> {
  readonly table: Name;
  /** @param truth whether what randomized response protects may be shown */
  readonly project: (row: Rows[Name], truth: boolean) => Row | null;
}

/** Ties the row's type to the name of its table. A list of several tables would lose that. */
export const from = <Row, Name extends ShownTable>(
  table: Name,
  project: From<Row, Name>['project'],
): From<Row, ShownTable> => ({ table, project }) as unknown as From<Row, ShownTable>;

/** A row reduced to what the table shows, so that 100,000 of them fit in memory. */
export interface Item {
  readonly id: number;
  /** In the order of the columns. */
  readonly cells: readonly Cell[];
  /** The lower-case text to search, outside debug mode and in it. */
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

/** A column's key, and its index in an item's cells. */
export interface Placed {
  readonly key: string;
  readonly index: number;
}

export const allowedColumns = <Row>(
  columns: readonly Column<Row>[],
  truth: boolean,
): readonly (Column<Row> & Placed)[] =>
  columns.flatMap((column, index) => (isAllowed(column, truth) ? [{ ...column, index }] : []));

/** Both the value and its label can be searched. */
function searchedWords({ as, label }: Pick<Column<never>, 'as' | 'label'>, cell: Cell): Cell {
  if (as === 'time' || cell === null) return '';
  const shown = label?.(cell) ?? cell;
  return shown === cell ? cell : `${cell} ${shown}`;
}

export const columnIndex = (columns: readonly { readonly key: string }[], key: string): number =>
  columns.findIndex((column) => column.key === key);
