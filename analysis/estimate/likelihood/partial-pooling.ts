import { nearestPossible, overTotals, totalOf, withTotals, type Totals } from './estimated-risk';
import {
  areUnlike,
  LEAST_STRENGTH,
  spreadOf,
  standingOut,
  strengthOf,
  together,
  tooFewToPool,
  type Part,
  type PartSpread,
} from './group-spread';
import { addedUp } from './adding-up';
import type { Randomness } from '../intervals/interval';
import { fit } from './likeliest-model';
import type { Measure } from '../quantities/measure';
import { sum, type Counts, type Margins, type Support } from './output-model';
import { joined, scaledBy, truthsByOutput, type GroupTruth, type Unscaled } from './raking';
import type { ResponseModel } from '../quantities/response-model';
import { certain, partLikenesses, type PartLikeness, type Strengths } from './strength-posterior';
import type { GroupTally } from '../unbiased/tally';

/** By the larger group; that of all sources has the empty key. */
type PartsOfGroups = ReadonlyMap<string, readonly Part[]>;

/** @param groups with their larger groups, which come first, as `withParents` gives them. */
export function partsOfGroups(support: Support, groups: readonly GroupTally[]): PartsOfGroups {
  const parts = new Map<string, Part[]>();
  for (const { group, tally } of groups) {
    const counts = support.countsOf(tally);
    const part = { group, counts, sources: sum(counts.counts) };
    const key = group.length === 0 ? '' : JSON.stringify(group.slice(0, -1));
    const own = parts.get(key);
    if (own === undefined) parts.set(key, [part]);
    else own.push(part);
  }
  return parts;
}

/**
 * The likeliest truths of all sources, and of each group. Each group's distribution is shrunk towards that of the next larger group: the
 * more so, the smaller the group, and the more alike the groups are. Then the groups are scaled so that they add up to the larger one, for
 * every output, and so for every quantity.
 * @param likeliest how many of all sources have each output as their truth.
 * @param totals the measures whose sums over all sources stay those of `likeliest`, unless groups that stand out have more; null: there are none.
 * @param purpose the parts of a larger group that are too few to be shrunk towards each other add up to it in estimates. For intervals they stay as their own
 * reports say, because the errors of one would move the interval of the other.
 */
export function poolGroups(
  support: Support,
  response: ResponseModel,
  parts: PartsOfGroups,
  likeliest: Counts,
  totals: Totals<Measure> | null,
  purpose: 'estimates' | Randomness,
): readonly GroupTruth[] {
  const [all] = parts.get('') ?? [];
  if (all === undefined) throw new RangeError('there must be a group of all sources');
  const root: GroupTruth = {
    group: all.group,
    sources: all.sources,
    observed: all.counts,
    own: likeliest,
    shared: 0,
    base: [],
    strengths: certain(1),
    isAlone: true,
    sums: 'scaled',
  };
  const truths = [root];
  const divided = new Map<GroupTruth, readonly GroupTruth[]>();
  for (let level: readonly GroupTruth[] = truths; level.length > 0;) {
    const divisions = level.flatMap((larger) => {
      const own = parts.get(JSON.stringify(larger.group)) ?? [];
      return own.length === 0 ? [] : [divisionOf(support, response, larger, own)];
    });
    // Few groups show their likeness only roughly, so those of all larger groups of a level show it together.
    const ofLevel = strengthOf(divisions.flatMap(({ spread }) => spread));
    const likenesses = partLikenesses(divisions.map(({ spread }) => spread));
    const tooFew = tooFewToPool(divisions.map(({ spread }) => spread));
    const free = freeAmong(divisions, tooFew);
    const smaller: GroupTruth[] = [];
    for (const [index, division] of divisions.entries()) {
      const isFew = tooFew.has(index);
      // Parts that are less alike than those of other groups are shrunk towards each other less.
      const strength = Math.min(strengthOf(division.spread), ofLevel);
      const pieces = isFew ? fewPieces(division) : piecesOf(division, likenesses[index] ?? [], strength);
      const areScaled = purpose === 'estimates' || !isFew;
      const own = divide(support, response, division, pieces, totals, areScaled && !free.has(index));
      if (areScaled) divided.set(division.larger, own);
      for (const part of own) smaller.push(part);
    }
    level = smaller;
    for (const part of level) truths.push(part);
  }
  return withSums(truths, divided, support.outputs.length);
}

/** With more of them, what is cut off at the bounds of their parts would add up. */
const MOST_FREE = 2;

/**
 * The larger groups whose parts are too few to be shrunk towards each other, and unlike. If one of them can have no less, or no more, scaling would move what is cut
 * off into the others.
 */
function freeAmong(divisions: readonly Division[], tooFew: ReadonlySet<number>): ReadonlySet<number> {
  const free = [...tooFew].filter((index) => areUnlike(divisions[index]?.spread ?? []));
  return new Set(free.length > MOST_FREE ? [] : free);
}

/** The same groups, but each larger one has what its parts have. Parts that stand out do not follow it. */
function withSums(
  truths: readonly GroupTruth[],
  divided: ReadonlyMap<GroupTruth, readonly GroupTruth[]>,
  outputs: number,
): readonly GroupTruth[] {
  const totals = new Map<GroupTruth, readonly number[]>();
  for (const truth of truths.toReversed()) {
    const parts = divided.get(truth);
    if (parts === undefined) continue;
    const sums = new Array<number>(outputs).fill(0);
    for (const part of parts) {
      const counts = totals.get(part) ?? truthsByOutput(part, outputs);
      for (let output = 0; output < outputs; output++)
        sums[output] = (sums[output] ?? 0) + (counts[output] ?? 0);
    }
    totals.set(truth, sums);
  }
  return truths.map((truth) => {
    const counts = totals.get(truth);
    return counts === undefined
      ? truth
      : { ...truth, own: { outputs: [...counts.keys()], counts }, shared: 0 };
  });
}

/** The parts of a larger group, those of them that stand out, and what the others share. */
interface Division {
  readonly larger: GroupTruth;
  readonly parts: readonly Part[];
  readonly apart: ReadonlySet<number>;
  /** By output, of the others. */
  readonly shares: readonly number[];
  readonly spread: readonly PartSpread[];
}

function divisionOf(
  support: Support,
  response: ResponseModel,
  larger: GroupTruth,
  parts: readonly Part[],
): Division {
  const all = truthsByOutput(larger, support.outputs.length).map((count) => count / larger.sources);
  const spread = spreadOf(support, response, parts, all);
  const apart = standingOut(spread);
  if (apart.size === 0) return { larger, parts, apart, shares: all, spread };
  const alike = parts.filter((_, part) => !apart.has(part));
  const shares = sharesOf(support, response, alike, all);
  return {
    larger,
    parts,
    apart,
    shares,
    spread: spreadOf(support, response, alike, shares),
  };
}

/** How a part is estimated. */
interface Pieces {
  readonly part: Part;
  /** The share of the estimate that is not scaled and follows the part's own reports; the rest is shrunk towards the larger group with the strength. */
  readonly apart: number;
  readonly strength: number;
  readonly strengths: Strengths;
  readonly isAlone: boolean;
}

/** In sources of known truth. An estimate of a part alone hardly depends on what the others share, but every truth stays possible. */
const ALONE = 0.01;

/** Of a part whose intervals know nothing of the larger group. */
const alone = (part: Part, apart: 0 | 1): Pieces => ({
  part,
  apart,
  strength: ALONE,
  strengths: certain(LEAST_STRENGTH),
  isAlone: true,
});

const fewPieces = ({ parts, apart }: Division): readonly Pieces[] =>
  parts.map((part, index) => alone(part, apart.has(index) ? 1 : 0));

/** Smaller probabilities that a part stands out change no estimate. */
const LEAST_APART = 0.1;
/** With a greater one, the part follows its own reports alone: one that noise brought nearer to the others would be shrunk towards them even more. */
const MOST_APART = 0.5;

const weightApart = (apart: number): number => (apart < LEAST_APART ? 0 : apart > MOST_APART ? 1 : apart);

/** @param likenesses of the parts that do not stand out */
function piecesOf(
  { parts, apart }: Division,
  likenesses: readonly PartLikeness[],
  strength: number,
): readonly Pieces[] {
  let place = 0;
  return parts.map((part, index) => {
    if (apart.has(index)) return alone(part, 1);
    const own = likenesses[place++] ?? { apart: 0, strengths: certain(strength) };
    return { part, apart: weightApart(own.apart), strength, strengths: own.strengths, isAlone: false };
  });
}

/** @param areScaled whether the parts that do not stand out add up to what those that do leave of the larger group. */
function divide(
  support: Support,
  response: ResponseModel,
  { larger, shares }: Division,
  pieces: readonly Pieces[],
  totals: Totals<Measure> | null,
  areScaled: boolean,
): readonly GroupTruth[] {
  const prior = support.marginsOf({ outputs: [...shares.keys()], counts: shares });
  const fitted = (weightOf: (pieces: Pieces) => number, strengthOf: (pieces: Pieces) => number): Unscaled[] =>
    pieces.flatMap((own) =>
      weightOf(own) === 0
        ? []
        : [scaledBy(weightOf(own), fitPart(support, response, own, prior, strengthOf(own)))],
    );
  const alike = fitted(
    ({ apart }) => 1 - apart,
    ({ strength }) => strength,
  );
  const asFitted = (part: Unscaled): GroupTruth => ({ ...part, base: shares, sums: 'likeliest' });
  const strength = pieces.find(({ apart }) => apart < 1)?.strength ?? Infinity;
  const adding = (counts: readonly number[]): readonly GroupTruth[] =>
    addedUp(support, response, { parts: alike, strength, shares, counts, totals });
  if (pieces.every(({ apart }) => apart === 0))
    return areScaled ? adding(truthsByOutput(larger, support.outputs.length)) : alike.map(asFitted);
  // Adding up changes a group in proportion to its numbers or its error, so one that stands out would get the errors of all others.
  const outside = [
    ...fitted(
      ({ apart }) => (apart === 1 ? 0 : apart),
      () => ALONE,
    ).map(asFitted),
    ...outsideOf(
      support,
      response,
      pieces.filter(({ apart }) => apart === 1),
      shares,
      totals,
    ),
  ];
  const inside = areScaled ? adding(rest(support, larger, outside, shares, totals)) : alike.map(asFitted);
  const byGroup = new Map<readonly string[], GroupTruth[]>(pieces.map(({ part }) => [part.group, []]));
  for (const piece of [...outside, ...inside]) byGroup.get(piece.group)?.push(piece);
  return pieces.map(({ part }) =>
    joined(byGroup.get(part.group) ?? [], part.sources, support.outputs.length),
  );
}

/** Parts that stand out, shrunk towards each other if there are enough of them to show how alike they are. */
function outsideOf(
  support: Support,
  response: ResponseModel,
  pieces: readonly Pieces[],
  all: readonly number[],
  totals: Totals<Measure> | null,
): readonly GroupTruth[] {
  const parts = pieces.map(({ part }) => part);
  const own = parts.length < 2 ? all : sharesOf(support, response, parts, all);
  const spread = parts.length < 2 ? [] : spreadOf(support, response, parts, own);
  const isFew = spread.length === 0 || tooFewToPool([spread]).size > 0;
  const base = isFew ? all : own;
  const prior = support.marginsOf({ outputs: [...base.keys()], counts: base });
  const strength = isFew ? ALONE : strengthOf(spread);
  return pieces.map((piece) => {
    const fitted = {
      ...fitPart(support, response, piece, prior, strength),
      base,
      sums: 'likeliest' as const,
    };
    return totals !== null && support.lists > 1 ? withUnbiased(support, response, totals, fitted) : fitted;
  });
}

/** With the unbiased totals, or the nearest possible ones. */
function withUnbiased(
  support: Support,
  response: ResponseModel,
  totals: Totals<Measure>,
  truth: GroupTruth,
): GroupTruth {
  const counts = truthsByOutput(truth, support.outputs.length);
  const unbiased = overTotals((name) => nearestPossible(support, response, totals[name], truth.observed));
  return {
    ...truth,
    own: withTotals(support, totals, { outputs: [...counts.keys()], counts }, unbiased),
    shared: 0,
    sums: 'unbiased',
  };
}

/** How many sources the parts that do not stand out leave for each output. */
function rest(
  support: Support,
  larger: GroupTruth,
  outside: readonly GroupTruth[],
  shares: readonly number[],
  totals: Totals<Measure> | null,
): readonly number[] {
  const sources = larger.sources - sum(outside.map((part) => part.sources));
  const counts = shares.map((share) => share * sources);
  if (totals === null) return counts;
  const sumOf = (measure: Measure, truth: GroupTruth): number => {
    const own = truthsByOutput(truth, support.outputs.length);
    return totalOf(support, measure, { outputs: [...own.keys()], counts: own });
  };
  const left = overTotals((name) => {
    const measure = totals[name];
    const others = sum(outside.map((part) => sumOf(measure, part)));
    return Math.max(sumOf(measure, larger) - others, 0);
  });
  return withTotals(support, totals, { outputs: [...shares.keys()], counts }, left).counts;
}

function fitPart(
  support: Support,
  response: ResponseModel,
  { part: { group, counts, sources }, strengths, isAlone }: Pieces,
  prior: Margins,
  strength: number,
): Unscaled {
  const { kept, total } = fit(support, response, counts, prior, strength);
  const unknown = sources - total;
  // Of the sources that were replaced, this part follows the group's own reports.
  const trust = strength === Infinity ? 0 : unknown / (total + strength);
  return {
    group,
    sources,
    own: { outputs: kept.outputs, counts: kept.counts.map((count) => count * (1 + trust)) },
    shared: strength === Infinity ? unknown : trust * strength,
    observed: counts,
    strengths,
    isAlone,
  };
}

/** The distribution of the truths of these groups together. Keeps a trace of `all`, so that every output stays possible. */
function sharesOf(
  support: Support,
  response: ResponseModel,
  parts: readonly Part[],
  all: readonly number[],
): readonly number[] {
  const { kept, total } = fit(support, response, together(parts), support.even(), 0);
  const shares = all.map((share) => 1e-6 * share);
  kept.outputs.forEach((output, index) => {
    shares[output] = (shares[output] ?? 0) + ((1 - 1e-6) * (kept.counts[index] ?? 0)) / total;
  });
  return shares;
}
