import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { version } from '../../package.json';
import { outcomesOf } from '../../analysis/experiment/outcome';
import { reportHtml } from '../../analysis/experiment/report-html';
import type { RunResult } from '../../analysis/experiment/result';
import { sameResults, sameText } from '../../analysis/experiment/same-results';
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
 * @returns a sentence for each cell in which a setting had no effect.
 * @throws InputError
 */
export async function writeResults(
  folder: string,
  { experiment, cells, runs, describe }: Plan,
  json: Json,
  { users, events, hash }: PreparedLog,
  results: readonly RunResult[],
): Promise<readonly string[]> {
  const outcomes = outcomesOf(cells, runs, results);
  const same = sameResults(experiment.grid, outcomes);
  const rows = rowsOf(experiment, outcomes, same);
  const table = rows.map((row) => tableRow(experiment, row));
  for (const name of TABLES) await writeTable(path.join(folder, name), () => table);
  replaceFile(
    path.join(folder, 'report.html'),
    reportHtml(experiment, rows, same, { users, events, runs: runs.length }),
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
  return same.map((one) => sameText(one, describe));
}

const sha256 = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex');
