import { columnIndex, type Cell, type Item, type TableDefinition } from '../../tables/table';
import type { Tone } from '../../words/tone';

/* What the items of a table say, by the column. */

export const cellOf = <Row>(
  { columns }: TableDefinition<Row>,
  key: string,
): ((item: Item) => string | number | null) => {
  const index = columnIndex(columns, key);
  return ({ cells }) => cells[index] ?? null;
};

export const labelOf = <Row>({ columns }: TableDefinition<Row>, key: string): ((cell: Cell) => string) =>
  columns[columnIndex(columns, key)]?.label ?? String;

export const toneOf = <Row>(
  { columns }: TableDefinition<Row>,
  key: string,
): ((cell: Cell) => Tone | undefined) => columns[columnIndex(columns, key)]?.tone ?? (() => undefined);
