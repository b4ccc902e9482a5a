import path from 'node:path';
import type { ShareOfParts } from '../../analysis/learn/examples';
import type { Experiment } from '../../analysis/learn/experiment';
import { reportHtml } from '../../analysis/learn/report-html';
import { tableRow, type Row } from '../../analysis/learn/summary';
import { replaceFile } from '../io/output';
import { writeTable } from '../io/table-file';

export const REPORT = 'report.html';

/**
 * Writes the table in three formats, and the report.
 * @throws InputError
 */
export async function writeResults(
  folder: string,
  experiment: Experiment,
  rows: readonly Row[],
  shares: ShareOfParts,
): Promise<void> {
  const table = rows.map((row) => tableRow(experiment, row));
  for (const format of ['csv', 'ndjson', 'parquet'])
    await writeTable(path.join(folder, `results.${format}`), () => table);
  replaceFile(path.join(folder, REPORT), reportHtml(experiment, rows, shares));
}
