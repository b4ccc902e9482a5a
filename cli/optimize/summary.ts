import { greatest } from '../../numeric/extremes';
import { PastQueries, type PastQuery, type Query } from '../../analysis/optimize/past-queries';
import { shortNumber } from '../../analysis/optimize/short-number';
import {
  bestSplit,
  equalSplit,
  type SummaryError,
  type SummaryRequest,
  type SummarySplit,
} from '../../analysis/optimize/summary-split';
import type { JsonObject } from '../../src/model/json';
import { positive } from '../../src/privacy/parameters';
import { InputError, refuseOption } from '../io/input';
import { InputFiles } from '../io/input-files';
import { readingProgress, showProgress } from '../io/progress';
import { eachRow } from '../io/rows';

export interface SummaryOptions {
  readonly csv?: readonly string[];
  readonly queries?: readonly string[];
  readonly weights?: readonly string[];
  readonly tau?: readonly string[];
  readonly error: SummaryError;
  readonly sourceColumn?: string;
  readonly epsilon: string;
  readonly json?: boolean;
}

/** The name of the number of conversions in `--queries`; everything else is a column with values. */
const COUNT = 'conversions';

/** `cointoss optimize --summary`: how queries share the contribution budget of a source. @throws InputError */
export async function optimizeSummary(options: SummaryOptions): Promise<string> {
  const { csv, queries: asked, error } = options;
  if (csv === undefined || asked === undefined)
    throw new InputError('optimize: --summary: must come with --csv and --queries');
  const queries = asked.map(queryOf);
  const weights = numbersFor('weights', options.weights ?? queries.map(() => '1'), queries);
  if ((error === 'rmsre') !== (options.tau !== undefined))
    throw new InputError('optimize: --tau: must come with --error rmsre, and only with it');
  const taus = numbersFor('tau', options.tau ?? queries.map(() => '1'), queries);
  const past = await readPast(csv, queries, options.sourceColumn ?? null);
  const request: SummaryRequest = {
    queries: past.map((query, index) => ({ ...query, weight: weights[index] ?? 1, tau: taus[index] ?? 1 })),
    epsilon: positiveOption('epsilon', options.epsilon),
    error,
  };
  const found = { best: bestSplit(request), equal: equalSplit(request) };
  return options.json === true ? JSON.stringify(splitJson(asked, found)) : splitTable(asked, request, found);
}

/** `conversions/campaign,device`: the quantity, and the columns of the slices; without columns there is one slice. */
function queryOf(text: string): Query {
  const [measure = '', columns = '', ...others] = text.split('/');
  if (measure === '' || others.length > 0)
    throw new InputError(
      `optimize: --queries: must each be a column or "${COUNT}", a slash, and columns with commas, was "${text}"`,
    );
  return {
    measure: measure === COUNT ? null : measure,
    slices: columns.split(',').filter((column) => column !== ''),
  };
}

function numbersFor(name: string, texts: readonly string[], queries: readonly Query[]): readonly number[] {
  if (texts.length === queries.length) return texts.map((text) => positiveOption(name, text));
  throw new InputError(
    `optimize: --${name}: must have a number for each of ${queries.length} queries, has ${texts.length}`,
  );
}

function positiveOption(name: string, text: string): number {
  try {
    return positive(name, text).toNumber();
  } catch (error) {
    return refuseOption('optimize', error);
  }
}

async function readPast(
  files: readonly string[],
  queries: readonly Query[],
  source: string | null,
): Promise<readonly PastQuery[]> {
  const input = new InputFiles(files);
  const past = new PastQueries(queries);
  const columns = queries.flatMap(({ measure, slices }) => [measure ?? [], slices].flat());
  const wanted = [...new Set([...columns, ...(source === null ? [] : [source])])];
  const read = readingProgress([input]);
  let rows = 0;
  const stopShowing = showProgress(() => `past conversions${read()}`);
  try {
    for await (const { place, cells } of eachRow(input, { wanted, csvFromStandardInput: true })) {
      rows += 1;
      past.add(source === null ? null : cells(source), cells, (column) =>
        valueIn(cells(column), place, column),
      );
    }
  } finally {
    stopShowing();
  }
  if (rows === 0) throw new InputError(`${input.names.join(', ')}: must have past conversions, has none`);
  const empty = past.result().find(({ slices }) => slices.flat().every(({ value }) => value === 0));
  if (empty === undefined) return past.result();
  throw new InputError(
    `${input.names.join(', ')}: column "${empty.query.measure ?? ''}" must have a value above 0, has none`,
  );
}

function valueIn(text: string, place: string, column: string): number {
  const value = text.trim() === '' ? 0 : Number(text);
  if (value >= 0 && value < Infinity) return value;
  throw new InputError(`${place}: column "${column}" must be a number of at least 0, was "${text}"`);
}

interface Found {
  readonly best: SummarySplit;
  readonly equal: SummarySplit;
}

function splitJson(asked: readonly string[], { best, equal }: Found): JsonObject {
  const written = ({ conversions, error, queries }: SummarySplit): JsonObject => ({
    conversions,
    error,
    queries: queries.map(({ leftOut, ...split }, index) => ({
      query: asked[index] ?? '',
      ...split,
      left_out: leftOut,
    })),
  });
  return { best: written(best), equal: written(equal) };
}

const HEADINGS = ['query', 'clip', 'contribution', 'epsilon', 'noise ±', 'left out', 'error', 'if equal'];

function splitTable(asked: readonly string[], { error }: SummaryRequest, { best, equal }: Found): string {
  const rows = best.queries.map(({ clip, contribution, epsilon, noise, leftOut, error: own }, index) => [
    asked[index] ?? '',
    ...[clip, contribution, epsilon, noise, leftOut, own].map(shortNumber),
    shortNumber(equal.queries[index]?.error ?? NaN),
  ]);
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, greatest(rows.map((row) => row[column]?.length ?? 0))),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ');
  return [
    `conversions of a source that count: ${best.conversions}`,
    line(HEADINGS),
    ...rows.map(line),
    `${error === 'mse' ? 'RMSE' : 'RMSRE'} ${shortNumber(best.error)}; with equal parts, no clips and ${equal.conversions}: ${shortNumber(equal.error)}`,
  ].join('\n');
}
