import { totalOf, type Totals } from './estimated-risk';
import { FEW_GROUPS } from './group-spread';
import type { Measure } from '../quantities/measure';
import { sum, type Support } from './output-model';
import { rake, type GroupTruth, type Unscaled } from './raking';
import type { ResponseModel } from '../quantities/response-model';

/** Parts of a larger group that are shrunk towards it, and what they add up to. */
interface AddedParts {
  readonly parts: readonly Unscaled[];
  /** As how many sources of known truth the larger group counts in each. */
  readonly strength: number;
  /** What the parts share, by output. */
  readonly shares: readonly number[];
  /** Of the parts together, by output. */
  readonly counts: readonly number[];
  /** Null: the mechanism counts no conversions. */
  readonly totals: Totals<Measure> | null;
}

/** If parts follow their own reports by more than this share, they differ by more than noise. */
const MOSTLY_OWN = 0.5;

/**
 * The parts, changed so that they add up. If they differ by more than noise, their conversions are those nearest to the unbiased ones, shrunk towards the
 * larger group, that are possible and add up (least squares). Fitted one by one, those at 0 are too high on average, and scaling would take this from
 * the parts with many conversions.
 */
export function addedUp(
  support: Support,
  response: ResponseModel,
  { parts, strength, shares, counts, totals }: AddedParts,
): readonly GroupTruth[] {
  if (totals === null || strength === Infinity || parts.length < FEW_GROUPS)
    return rake(parts, shares, counts);
  const { conversions } = totals;
  const wanted = wantedOf(support, response, conversions, { parts, strength, shares });
  const trust = sum(wanted.map((own) => own.trust)) / parts.length;
  if (trust <= MOSTLY_OWN) return rake(parts, shares, counts);
  const adds = support.addedBy(conversions.adds);
  const over = (of: (adds: number) => number): number =>
    sum(shares.map((share, output) => share * of(adds[output] ?? 0)));
  const ofShares = { total: over((own) => own), converting: over((own) => (own > 0 ? 1 : 0)) };
  const fitted = parts.map((part) => fittedOf(part, ofShares, adds));
  const total = sum(counts.map((count, output) => count * (adds[output] ?? 0)));
  const moved = nearest(
    wanted.map((own, part) => ({ ...own, most: fitted[part]?.most ?? 0 })),
    total,
  );
  const changed = parts.map((part, index) => {
    const own = fitted[index];
    return own === undefined || own.total === 0
      ? part
      : withConversions(part, (moved[index] ?? 0) / own.total, own);
  });
  return rake(changed, shares, counts);
}

interface Wanted {
  /** The number of conversions, which may be impossible, and its variance. */
  readonly mean: number;
  readonly variance: number;
  /** The weight of the part's own reports in it. */
  readonly trust: number;
}

/** The best linear estimates from the unbiased numbers, if the parts differ as the strength says. */
function wantedOf(
  support: Support,
  { keep }: ResponseModel,
  measure: Measure,
  { parts, strength, shares }: Pick<AddedParts, 'parts' | 'strength' | 'shares'>,
): readonly Wanted[] {
  const adds = support.addedBy(measure.adds);
  const meanOf = (of: (adds: number) => number): number =>
    sum(shares.map((share, output) => share * of(adds[output] ?? 0)));
  const mean = meanOf((own) => own);
  const between = meanOf((own) => (own - mean) ** 2) / (strength + 1);
  const noise =
    (keep * (1 - keep) * meanOf((own) => (own - measure.mean) ** 2) + (1 - keep) * measure.spread) /
    keep ** 2;
  return parts.map(({ observed, sources }) => {
    const trust = (sources * between) / (sources * between + noise || 1);
    // A part may be one of two pieces of a group.
    const reported = (totalOf(support, measure, observed) * sources) / sum(observed.counts);
    const unbiased = (reported - sources * (1 - keep) * measure.mean) / keep;
    return {
      mean: sources * mean + trust * (unbiased - sources * mean),
      variance: trust * sources * noise,
      trust,
    };
  });
}

/** The possible numbers with this sum that are nearest to these, in units of their standard errors. */
function nearest(wanted: readonly (Wanted & { readonly most: number })[], total: number): readonly number[] {
  const at = (by: number): readonly number[] =>
    wanted.map(({ mean, variance, most }) => Math.min(Math.max(mean + by * variance, 0), most));
  const steps = wanted.flatMap(({ mean, variance, most }) =>
    variance > 0 ? [-mean / variance, (most - mean) / variance] : [],
  );
  let [low, high] = [steps.reduce((a, b) => Math.min(a, b), 0), steps.reduce((a, b) => Math.max(a, b), 0)];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (sum(at(middle)) < total) low = middle;
    else high = middle;
  }
  return at((low + high) / 2);
}

const BISECTIONS = 60;

/** What a part was fitted as. */
interface FittedPart {
  readonly total: number;
  /** If all its sources converted as those that do. */
  readonly most: number;
  /** By output of its own: whether it counts conversions. */
  readonly converts: readonly boolean[];
}

/** @param ofShares what a source adds on average that follows the larger group, and its probability to convert. */
function fittedOf(
  { own, shared, sources }: Unscaled,
  ofShares: { readonly total: number; readonly converting: number },
  adds: readonly number[],
): FittedPart {
  const added = own.outputs.map((output) => adds[output] ?? 0);
  const over = (of: (adds: number) => number): number =>
    sum(own.counts.map((count, index) => count * of(added[index] ?? 0)));
  const total = over((value) => value) + shared * ofShares.total;
  const converting = over((value) => (value > 0 ? 1 : 0)) + shared * ofShares.converting;
  return {
    total,
    most: converting > 0 ? (total * sources) / converting : 0,
    converts: added.map((value) => value > 0),
  };
}

/** A part whose converting sources are multiplied. Its own sources without a conversion make up for them, if they can. */
function withConversions(part: Unscaled, by: number, { converts }: FittedPart): Unscaled {
  const { own, shared, sources } = part;
  const sumOf = (those: boolean): number =>
    sum(own.counts.map((count, index) => (converts[index] === those ? count : 0)));
  const others = sumOf(false);
  const rest = sources - by * (sumOf(true) + shared);
  if (!(others > 0) || rest < 0) return part;
  const counts = own.counts.map((count, index) => count * (converts[index] === true ? by : rest / others));
  return { ...part, own: { outputs: own.outputs, counts }, shared: by * shared };
}
