import type { GroupResult } from './result';

/** The results of one run for the groups of a level. */
export interface LevelErrors {
  /** How much the estimates differ from the truth in total, in percent of the truth. */
  readonly bias: number;
  /** The root mean square of the errors of the groups. */
  readonly rmse: number;
  /** The same in percent of the mean truth of a group. */
  readonly relativeRmse: number;
  /** The share of intervals that contain the truth, in percent. */
  readonly coverage: number;
  /** The mean width of the intervals, in percent of the mean truth of a group. */
  readonly width: number;
  /** The share of groups with an interval that contains the truth, and whose half width is at most `known` of it, in percent. */
  readonly known: number;
}

type Groups = ReadonlyMap<string, GroupResult>;

/** A group without an estimate has the estimate 0, with the interval [0, 0]. */
export function levelErrors(truths: Groups, estimates: Groups, known: number): LevelErrors {
  const keys = [...new Set([...truths.keys(), ...estimates.keys()])];
  const pairs = keys.map((key) => pairOf(truths.get(key), estimates.get(key)));
  const mean = (of: (pair: Pair) => number): number =>
    pairs.reduce((sum, pair) => sum + of(pair), 0) / Math.max(pairs.length, 1);
  const percentOf = (value: number): number => (truth > 0 ? (100 * value) / truth : 0);
  const truth = mean((pair) => pair.truth);
  const rmse = Math.sqrt(mean(({ error }) => error ** 2));
  return {
    bias: percentOf(mean(({ error }) => error)),
    rmse,
    relativeRmse: percentOf(rmse),
    coverage: 100 * mean(({ isCovered }) => Number(isCovered)),
    width: percentOf(mean(({ width }) => width)),
    known: 100 * mean((pair) => Number(pair.isCovered && isNarrow(pair, known))),
  };
}

interface Pair {
  readonly truth: number;
  readonly error: number;
  readonly width: number;
  readonly isCovered: boolean;
}

const isNarrow = ({ truth, width }: Pair, known: number): boolean => truth > 0 && width / 2 <= known * truth;

export function pairOf(truth: GroupResult | undefined, estimate: GroupResult | undefined): Pair {
  const value = truth?.observed ?? 0;
  const found = estimate ?? { estimate: 0, low: 0, high: 0 };
  const [low, high] = [found.low ?? -Infinity, found.high ?? Infinity];
  return {
    truth: value,
    error: found.estimate - value,
    width: high - low,
    isCovered: low <= value && value <= high,
  };
}

/** Half the sum of the differences between the shares of the groups: the part of all credit that moved, in percent. */
export function creditMoved(credit: Groups, reference: Groups): number {
  const shares = (groups: Groups): ((key: string) => number) => {
    const total = [...groups.values()].reduce((sum, { observed }) => sum + observed, 0);
    return (key) => (total > 0 ? (groups.get(key)?.observed ?? 0) / total : 0);
  };
  const [one, other] = [shares(credit), shares(reference)];
  const keys = new Set([...credit.keys(), ...reference.keys()]);
  return 50 * [...keys].reduce((sum, key) => sum + Math.abs(one(key) - other(key)), 0);
}
