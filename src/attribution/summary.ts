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

/** The buckets that the sums enter, adding by descending priority, then time, from the final reports up to 2^32 − 1. */
export function workOut(
  registration: SourceRegistration,
  input: {
    readonly conversions: readonly AttributedConversion[];
    readonly finalBuckets: ReadonlyMap<number, number>;
    /** The most crossings to return. */
    readonly maxReports: number;
  },
): Summary {
  const sums = new Map(
    triggerDataOf(registration).map(({ triggerData, spec: { summaryBuckets } }) => {
      const entered = input.finalBuckets.get(triggerData) ?? 0;
      return [
        triggerData,
        { summaryBuckets, entered, sum: summaryBuckets[entered - 1] ?? 0, unspent: [] as Unspent[] },
      ];
    }),
  );
  const crossings: Crossing[] = [];
  const outranked = new Set<number>();
  for (const by of [...input.conversions].sort(byRank)) {
    const tally = sums.get(by.triggerData);
    if (tally === undefined) continue;
    tally.sum = Math.min(tally.sum + by.value, MAX_UINT32);
    tally.unspent.push({ conversion: by, left: by.value });
    for (let start = tally.summaryBuckets[tally.entered]; start !== undefined && tally.sum >= start;) {
      if (crossings.length === input.maxReports) {
        outranked.add(by.triggerId);
        break;
      }
      const previous = tally.summaryBuckets[tally.entered - 1] ?? 0;
      const used = spend(tally.unspent, start - previous);
      crossings.push({
        triggerData: by.triggerData,
        bucket: tally.entered,
        contributions: used.map(({ conversion, left }) => ({ triggerId: conversion.triggerId, value: left })),
        by,
        debugKeys: keysOf(used.map(({ conversion }) => conversion)),
      });
      tally.entered += 1;
      start = tally.summaryBuckets[tally.entered];
    }
  }
  return { crossings, outranked };
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

function byRank(a: AttributedConversion, b: AttributedConversion): number {
  if (a.priority !== b.priority) return a.priority > b.priority ? -1 : 1;
  return a.time - b.time || a.triggerId - b.triggerId;
}
