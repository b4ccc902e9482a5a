import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { version } from '../../package.json';
import { outcomesOf } from '../../analysis/experiment/outcome';
import { reportHtml } from '../../analysis/experiment/report-html';
import type { RunResult } from '../../analysis/experiment/result';
import { rowsOf } from '../../analysis/experiment/summary';
import { tableRow } from '../../analysis/experiment/table';
import type { Json } from '../../src/model/json';
import type { PreparedLog } from './log';
import type { Plan } from './plan';
import { jsonBytes } from '../io/json-bytes';
import { replaceFile } from '../io/output';
import { writeTable } from '../io/table-file';

const TABLES = ['results.csv', 'results.ndjson', 'results.parquet'];

export const RESULTS: readonly string[] = [...TABLES, 'report.html'];
export const MANIFEST = 'manifest.json';

/**
 * Writes the table, the report, and the manifest, from which anybody gets the same bytes.
 * @param json the experiment, as given.
 * @throws InputError
 */
export async function writeResults(
  folder: string,
  { experiment, cells, runs }: Plan,
  json: Json,
  { users, events, hash }: PreparedLog,
  results: readonly RunResult[],
): Promise<void> {
  const outcomes = outcomesOf(cells, runs, results);
  const rows = rowsOf(experiment, outcomes);
  const table = rows.map((row) => tableRow(experiment, row));
  for (const name of TABLES) await writeTable(path.join(folder, name), () => table);
  replaceFile(
    path.join(folder, 'report.html'),
    reportHtml(experiment, rows, { users, events, runs: runs.length }),
  );
  const manifest = {
    cointoss: version,
    node: process.versions.node,
    experiment: json,
    seed: experiment.seed,
    // Run r of every cell draws from JSON.stringify([seed, r, user]).
    repetitions: Array.from({ length: experiment.repetitions }, (_, repetition) => repetition),
    data: { users, events, sha256: hash },
    results: Object.fromEntries(RESULTS.map((name) => [name, sha256(path.join(folder, name))])),
  };
  replaceFile(path.join(folder, MANIFEST), jsonBytes(`${JSON.stringify(manifest, null, 2)}\n`));
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
