import type { AttributedConversion, FlexibleReport } from '../model/records';
import { MAX_UINT32, type SourceRegistration } from '../model/registration';
import { triggerDataOf } from '../states/source-space';

/** The sum of a trigger data entered a summary bucket. */
export interface Crossing extends Pick<FlexibleReport, 'triggerData' | 'bucket' | 'contributions'> {
  /** The conversion that brought the sum there. */
  readonly by: AttributedConversion;
  /** The keys of all contributing conversions, or null if one has none. */
  readonly debugKeys: readonly bigint[] | null;
}

export interface Summary {
  readonly crossings: readonly Crossing[];
  /** Conversions that would have entered a bucket if the maximum had not been reached. */
  readonly outranked: ReadonlySet<number>;
}

/**
 * The buckets that the sums enter. Conversions are added in order of descending priority, then time, to the sums that the final reports have used, at
 * most up to 2^32 − 1.
 * @param input `maxReports`: the most crossings to return
 */
export function workOut(
  registration: SourceRegistration,
  input: {
    readonly conversions: readonly AttributedConversion[];
    readonly finalBuckets: ReadonlyMap<number, number>;
    readonly maxReports: number;
  },
): Summary {
  const sums = new Map(
    triggerDataOf(registration).map(({ triggerData, spec: { summaryBuckets } }) => {
      const entered = input.finalBuckets.get(triggerData) ?? 0;
      return [triggerData, new RunningSum(triggerData, summaryBuckets, entered)];
    }),
  );
  const crossings: Crossing[] = [];
  const outranked = new Set<number>();
  for (const conversion of [...input.conversions].sort(byConversionRank)) {
    const sum = sums.get(conversion.triggerData);
    sum?.add(conversion);
    while (sum?.isInNextBucket === true) {
      if (crossings.length === input.maxReports) {
        outranked.add(conversion.triggerId);
        break;
      }
      crossings.push(sum.enterNextBucket(conversion));
    }
  }
  return { crossings, outranked };
}

/** The sum of the values of one trigger data. */
class RunningSum {
  private sum: number;
  /** Conversions with the part of their value that has made no report yet. */
  private readonly unspent: Unspent[] = [];

  /** @param entered how many buckets it has entered. */
  constructor(
    private readonly triggerData: number,
    private readonly buckets: readonly number[],
    private entered: number,
  ) {
    this.sum = this.lastStart;
  }

  add(conversion: AttributedConversion): void {
    this.sum = Math.min(this.sum + conversion.value, MAX_UINT32);
    this.unspent.push({ conversion, left: conversion.value });
  }

  get isInNextBucket(): boolean {
    const start = this.buckets[this.entered];
    return start !== undefined && this.sum >= start;
  }

  /** Spends as much value as lies between the starts of the last bucket and the next. */
  enterNextBucket(by: AttributedConversion): Crossing {
    const before = this.lastStart;
    const bucket = this.entered++;
    const used = spend(this.unspent, this.lastStart - before);
    return {
      triggerData: this.triggerData,
      bucket,
      contributions: used.map(({ conversion, left }) => ({ triggerId: conversion.triggerId, value: left })),
      by,
      debugKeys: keysOf(used.map(({ conversion }) => conversion)),
    };
  }

  /** The start of the last bucket that was entered. */
  private get lastStart(): number {
    return this.buckets[this.entered - 1] ?? 0;
  }
}

interface Unspent {
  readonly conversion: AttributedConversion;
  left: number;
}

/** Takes `amount` from the conversions in order, and returns how much came from each. */
function spend(unspent: Unspent[], amount: number): Unspent[] {
  const used: Unspent[] = [];
  for (let missing = amount; missing > 0;) {
    const first = unspent[0];
    if (first === undefined) break;
    const taken = Math.min(first.left, missing);
    used.push({ conversion: first.conversion, left: taken });
    first.left -= taken;
    missing -= taken;
    if (first.left === 0) unspent.shift();
  }
  return used;
}

function keysOf(conversions: readonly AttributedConversion[]): readonly bigint[] | null {
  const keys = conversions.flatMap(({ debugKey }) => debugKey ?? []);
  return keys.length === conversions.length ? keys : null;
}

function byConversionRank(a: AttributedConversion, b: AttributedConversion): number {
  if (a.priority !== b.priority) return a.priority > b.priority ? -1 : 1;
  return a.time - b.time || a.triggerId - b.triggerId;
}
