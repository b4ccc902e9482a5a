import { estimatesOf } from '../../analysis/estimate/result/estimates-of';
import { LogJoin } from '../../analysis/estimate/result/log-join';
import type { EstimateResult } from '../../analysis/estimate/result/result-json';
import { withFormula } from '../../formats/csv/formulas';
import { CsvProblem, csvRecords, delimiterIn, type CsvRecord } from '../../formats/csv/records';
import { mistake, type Issue } from '../../formats/codec/mistakes';
import type { Json } from '../../src/model/json';
import { seconds } from '../../src/model/units';
import type { Parsed } from '../../formats/codec/issues';
import { readJsonText } from '../../formats/codec/json-text';
import { ParameterError } from '../../src/privacy/parameters';

/** A row that cannot be used. `line` counts from 1. */
export class RowProblem extends Error {
  constructor(
    readonly file: 'sources' | 'reports',
    readonly line: number,
    readonly issue: Issue,
  ) {
    super(`${file}: line ${line}`);
  }
}

/**
 * Joins the rows (NDJSON or a table) with the defaults of `cointoss estimate`, and estimates.
 * @throws RowProblem for the first row with a mistake
 */
export function estimatesFrom(sources: string, reports: string, groupBy: readonly string[]): EstimateResult {
  const join = new LogJoin(groupBy, { skew: seconds(60), completeUntil: null });
  each('sources', sources, (row) => join.addSource(row));
  const missing = join.missing();
  if (missing !== undefined)
    throw new RowProblem('sources', 1, { path: '', ...mistake('missing-field', { name: missing }) });
  each('reports', reports, (row) => join.addReport(row));
  return estimatesOf(join.statistics(null), {
    level: 0.95,
    randomness: 'noise-and-sampling',
    likelihood: false,
    singles: false,
  });
}

function each(file: RowProblem['file'], text: string, add: (row: Json) => Parsed<unknown> | null): void {
  const isTable = !/^\uFEFF?\s*[{[]/.test(text) && delimiterIn(text) !== null;
  for (const { line, value } of (isTable ? rowsOfTable : rowsOfLines)(file, text)) {
    const fail = (issue: Issue): never => {
      throw new RowProblem(file, line, issue);
    };
    try {
      const [error] = add(value)?.errors ?? [];
      if (error !== undefined) fail(error);
    } catch (error) {
      if (error instanceof ParameterError) fail(error.issue);
      throw error;
    }
  }
}

interface Row {
  readonly line: number;
  readonly value: Json;
}

const rowsOfLines = (file: RowProblem['file'], text: string): readonly Row[] =>
  text.split('\n').flatMap((row, index) => {
    if (row.trim() === '') return [];
    const line = index + 1;
    const { value, problem } = readJsonText(row);
    if (problem !== null) throw new RowProblem(file, line, { path: '', ...mistake('not-json', { problem }) });
    return [{ line, value }];
  });

/** Objects without empty cells, as the commands read tables. All values are texts. */
function rowsOfTable(file: RowProblem['file'], text: string): readonly Row[] {
  const [header, ...records] = recordsOf(file, text);
  const names = header?.cells.map(withFormula) ?? [];
  return records.map(({ line, cells }) => {
    if (cells.length !== names.length) throw notTable(file, line);
    const named = names.map((name, place) => [name, withFormula(cells[place] ?? '')] as const);
    return { line, value: Object.fromEntries(named.filter(([, cell]) => cell !== '')) };
  });
}

function recordsOf(file: RowProblem['file'], text: string): readonly CsvRecord[] {
  try {
    return csvRecords(text);
  } catch (error) {
    throw error instanceof CsvProblem ? notTable(file, error.line) : error;
  }
}

const notTable = (file: RowProblem['file'], line: number): RowProblem =>
  new RowProblem(file, line, { path: '', ...mistake('not-csv') });
