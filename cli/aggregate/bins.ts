import { bucket, type SummaryRow } from '../../analysis/aggregate/summary';
import type { BinnedSums } from '../../analysis/aggregate/bins';
import { uint64 } from '../../formats/codec/codec';
import { parse } from '../../formats/codec/issues';
import type { JsonObject } from '../../src/model/json';
import { accept, InputError } from '../io/input';

/** @throws InputError unless the cuts ascend from above 0. */
export function readCuts(texts: readonly string[]): readonly bigint[] {
  const cuts = texts.map((text) => accept('aggregate: --bins', parse(text, uint64)));
  cuts.forEach((cut, index) => {
    if (cut <= (cuts[index - 1] ?? 0n))
      throw new InputError(`aggregate: --bins: must ascend from above 0, was "${texts.join(',')}"`);
  });
  return cuts;
}

/** As the ledger keeps it: the number of the bin as value, and its probability of being true as low end. */
export const binsAsSummary = ({ bins, kept }: BinnedSums): readonly SummaryRow[] =>
  [...bins].map(([key, bin]) => ({
    bucket: key,
    value: bin,
    standardError: 0,
    low: kept,
    high: kept,
    discovered: false,
  }));

export const binRows = (rows: readonly SummaryRow[], cuts: readonly bigint[]): readonly JsonObject[] =>
  rows.map(({ bucket: key, value: bin, low: kept }) => {
    const [from, below] = [cuts[bin - 1] ?? 0n, cuts[bin]];
    return {
      bucket: bucket.write(key),
      bin,
      from: Number(from),
      below: below === undefined ? null : Number(below),
      probability: kept,
    };
  });
