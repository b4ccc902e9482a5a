import { estimatesOf, LogJoin } from '../../analysis/estimate/log-join';
import type { EstimateResult } from '../../analysis/estimate/result-json';
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
 * Joins the rows (NDJSON) with the defaults of `cointoss estimate`, and estimates.
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
  text.split('\n').forEach((row, index) => {
    if (row.trim() === '') return;
    const fail = (issue: Issue): never => {
      throw new RowProblem(file, index + 1, issue);
    };
    const { value, problem } = readJsonText(row);
    if (problem !== null) return fail({ path: '', ...mistake('not-json', { problem }) });
    try {
      const [error] = add(value)?.errors ?? [];
      if (error !== undefined) fail(error);
    } catch (error) {
      if (error instanceof ParameterError) fail(error.issue);
      throw error;
    }
  });
}
