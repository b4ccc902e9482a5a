import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Experiment } from '../analysis/learn/experiment';
import { reportHtml } from '../analysis/learn/report-html';
import { tableRow, type Row } from '../analysis/learn/summary';
import { InputError } from './input';

export const REPORT = 'report.html';

type TableRow = ReturnType<typeof tableRow>;
type Cell = TableRow[string];

/**
 * Writes the table in three formats, and the report.
 * @throws InputError
 */
export async function writeResults(
  folder: string,
  experiment: Experiment,
  rows: readonly Row[],
): Promise<void> {
  const table = rows.map((row) => tableRow(experiment, row));
  const names = Object.keys(table[0] ?? {});
  const csv = [names, ...table.map((row) => names.map((name) => csvCell(row[name] ?? null)))];
  replaceFile(path.join(folder, 'results.csv'), csv.map((cells) => `${cells.join(',')}\n`).join(''));
  replaceFile(path.join(folder, 'results.ndjson'), table.map((row) => `${JSON.stringify(row)}\n`).join(''));
  replaceFile(path.join(folder, 'results.parquet'), await parquetOf(table, names));
  replaceFile(path.join(folder, REPORT), reportHtml(experiment, rows));
}

const csvCell = (value: Cell): string =>
  typeof value === 'string' && /[",\n]/.test(value)
    ? `"${value.replaceAll('"', '""')}"`
    : String(value ?? '');

async function parquetOf(table: readonly TableRow[], names: readonly string[]): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const columnData = names.map((name) => {
    const data = table.map((row) => row[name] ?? null);
    return { name, type: parquetType(data.find((cell) => cell !== null)), nullable: true, data };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

function parquetType(value: Cell | undefined): 'STRING' | 'BOOLEAN' | 'DOUBLE' {
  if (typeof value === 'string') return 'STRING';
  return typeof value === 'boolean' ? 'BOOLEAN' : 'DOUBLE';
}

/** Atomic: a rename replaces the file. */
function replaceFile(file: string, content: string | Uint8Array): void {
  writing(file, () => {
    writeFileSync(`${file}.new`, content, { flush: true });
    renameSync(`${file}.new`, file);
  });
}

/** @throws InputError with the file */
export function writing(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new InputError(
      `${file}: cannot be written: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
