import type { Cells } from '../../analysis/simulation/cells';
import type { Json } from '../../src/model/json';

/** A row of a file, whatever its format. */
export interface FileRow {
  readonly file: string;
  /** Its place, for messages. */
  readonly place: string;
  /** A column as text, empty if it is missing. Lists have commas, and times are ISO 8601. */
  readonly cells: Cells;
  /** The value of a line of NDJSON. In other formats an object without empty cells; all values of CSV are texts. */
  readonly value: Json;
  /** As one line of JSON. */
  text(): string;
}

/** Lists become texts with commas, times ISO 8601, which fits every unit. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(cellText).join(',');
  if (typeof value === 'string') return value;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}

/** The columns from the names of folders on the way to a file. */
export const columnsOfPath = (file: string): ReadonlyMap<string, string> =>
  new Map(
    file
      .split(/[/\\]/)
      .slice(0, -1)
      .flatMap((folder) => {
        const end = folder.indexOf('=');
        return end > 0 ? [[folder.slice(0, end), folder.slice(end + 1)]] : [];
      }),
  );
