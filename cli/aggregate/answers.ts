import { binnedSums } from '../../analysis/aggregate/bins';
import { firstAbove, largestSum, surelyLargest } from '../../analysis/aggregate/choices';
import type { SummaryNoise } from '../../analysis/aggregate/noise';
import {
  bucket,
  summarize,
  summaryRow,
  type SummaryOptions,
  type SummaryRow,
} from '../../analysis/aggregate/summary';
import { uint64 } from '../../formats/codec/codec';
import { parse } from '../../formats/codec/issues';
import { CONTRIBUTION_BUDGET } from '../../src/model/aggregatable';
import type { JsonObject } from '../../src/model/json';
import type { RandomSource } from '../../src/privacy/random-source';
import { accept, InputError, openShareOption } from '../io/input';

/** What is asked about the sums; ε is spent on one question. */
export type Question =
  | { readonly kind: 'sums' }
  /** In which bin each is; where the next bin begins. */
  | { readonly kind: 'bins'; readonly cuts: readonly bigint[] }
  /** Which is the greatest. */
  | { readonly kind: 'largest' }
  /** The same, if no source could change it. */
  | { readonly kind: 'surely-largest'; readonly delta: number }
  /** Which is the first of this size. */
  | { readonly kind: 'first-above'; readonly threshold: bigint };

export const QUESTIONS = '--bins, --largest, --surely-largest and --first-above';

export interface QuestionOptions {
  readonly bins?: readonly string[];
  readonly largest?: boolean;
  readonly surelyLargest?: string;
  readonly firstAbove?: string;
}

/** @throws InputError unless there is at most one, and cuts ascend from above 0. */
export function readQuestion({
  bins,
  largest = false,
  surelyLargest: delta,
  firstAbove: threshold,
}: QuestionOptions): Question {
  const asked = [bins !== undefined, largest, delta !== undefined, threshold !== undefined];
  if (asked.filter(Boolean).length > 1) throw new InputError(`aggregate: must have only one of ${QUESTIONS}`);
  if (delta !== undefined)
    return { kind: 'surely-largest', delta: openShareOption('aggregate', 'surely-largest', delta) };
  if (bins !== undefined) return { kind: 'bins', cuts: readCuts(bins) };
  if (threshold !== undefined)
    return {
      kind: 'first-above',
      threshold: accept('aggregate: --first-above', parse(threshold, uint64)),
    };
  return { kind: largest ? 'largest' : 'sums' };
}

function readCuts(texts: readonly string[]): readonly bigint[] {
  const cuts = texts.map((text) => accept('aggregate: --bins', parse(text, uint64)));
  cuts.forEach((cut, index) => {
    if (cut <= (cuts[index - 1] ?? 0n))
      throw new InputError(`aggregate: --bins: must ascend from above 0, was "${texts.join(',')}"`);
  });
  return cuts;
}

/** The question as text, for the ledger: another question is another result. */
export const questionText = (question: Question): string =>
  JSON.stringify(question, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** The answer, as the ledger keeps it. */
export function answer(
  question: Question,
  sums: ReadonlyMap<bigint, bigint>,
  epsilon: string,
  noise: SummaryNoise,
  summary: SummaryOptions,
  random: RandomSource,
): readonly SummaryRow[] {
  const keys = [...summary.expected].sort((a, b) => (a < b ? -1 : 1));
  const values = keys.map((key) => sums.get(key) ?? 0n);
  const sensitivity = BigInt(CONTRIBUTION_BUDGET);
  switch (question.kind) {
    case 'sums':
      return summarize(sums, noise, summary, random);
    case 'bins': {
      const { bins, kept } = binnedSums(sums, summary.expected, question.cuts, epsilon, random);
      return [...bins].map(([key, bin]) => plainRow(key, bin, kept));
    }
    case 'largest':
      return chosen(keys, largestSum(values, sensitivity, epsilon)(random));
    case 'surely-largest':
      return chosen(keys, surelyLargest(values, sensitivity, epsilon, question.delta)(random));
    case 'first-above':
      return chosen(keys, firstAbove(values, question.threshold, sensitivity, epsilon)(random));
  }
}

const chosen = (keys: readonly bigint[], place: number | null): readonly SummaryRow[] =>
  keys.filter((_, index) => index === place).map((key) => plainRow(key, 0, 0));

/** The row of a bin: its number, and the probability that it is true. */
const plainRow = (key: bigint, value: number, kept: number): SummaryRow => ({
  bucket: key,
  value,
  standardError: 0,
  low: kept,
  high: kept,
  discovered: false,
});

/** The answer as rows of the result. */
export function answerRows(question: Question, rows: readonly SummaryRow[]): readonly JsonObject[] {
  switch (question.kind) {
    case 'sums':
      return rows.map((row) => summaryRow.write(row));
    case 'bins':
      return rows.map((row) => binRow(row, question.cuts));
    case 'largest':
    case 'surely-largest':
    case 'first-above':
      return rows.map((row) => ({ bucket: bucket.write(row.bucket) }));
  }
}

function binRow({ bucket: key, value: bin, low: kept }: SummaryRow, cuts: readonly bigint[]): JsonObject {
  const [from, below] = [cuts[bin - 1] ?? 0n, cuts[bin]];
  return {
    bucket: bucket.write(key),
    bin,
    from: Number(from),
    below: below === undefined ? null : Number(below),
    probability: kept,
  };
}
