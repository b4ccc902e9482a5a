import { withoutFormula } from '../../../formats/csv/formulas';
import type { Json } from '../../../src/model/json';
import type { Cell, Item } from './table';

interface Titled {
  readonly key: string;
  readonly as?: string;
}

/** RFC 4180, with a header line; times in ISO 8601. */
export function toCsv(columns: readonly Titled[], items: readonly Item[], all: readonly Titled[]): string {
  const picked = picks(columns, all);
  const line = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;
  const rows = items.map(({ id, cells }) => line([String(id), ...picked.map((pick) => text(pick(cells)))]));
  return line(['id', ...columns.map(({ key }) => key)]) + rows.join('');
}

/** A list of objects with the columns' keys. */
export function toJsonRows(columns: readonly Titled[], items: readonly Item[], all: readonly Titled[]): Json {
  const picked = picks(columns, all);
  return items.map(({ id, cells }) => ({
    id,
    ...Object.fromEntries(columns.map(({ key }, index) => [key, picked[index]?.(cells) ?? null])),
  }));
}

function picks(columns: readonly Titled[], all: readonly Titled[]): ((cells: readonly Cell[]) => Cell)[] {
  return columns.map((column) => {
    const index = all.findIndex(({ key }) => key === column.key);
    return (cells) => {
      const cell = cells[index] ?? null;
      return column.as === 'time' && typeof cell === 'number' ? new Date(cell).toISOString() : cell;
    };
  });
}

const text = (cell: Cell): string => (cell === null ? '' : String(cell));

/** A page may have written the value. */
function quoted(value: string): string {
  const harmless = withoutFormula(value);
  return /[",\r\n]/.test(harmless) ? `"${harmless.replace(/"/g, '""')}"` : harmless;
}

export function download(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
