import { LEAST_STRENGTH, likenessOf, spreadOf, standingOut, together, type Part } from './group-spread';
import { fit } from './likeliest-model';
import { sum, type Counts, type Support } from './output-model';
import type { ResponseModel } from './response-model';
import type { GroupTally } from './tally';

/** How many sources of a group have each output as their truth, estimated: `own`, and `shared` times what its larger group has. */
export interface GroupTruth {
  readonly group: readonly string[];
  readonly sources: number;
  readonly own: Counts;
  readonly shared: number;
  /** By output, what the parts of the larger group share. */
  readonly base: readonly number[];
  readonly observed: Counts;
  /**
   * How many sources of known truth the distribution of the larger group weighs as much as in intervals: not more than the groups show. For all
   * sources, that of the vague priors.
   */
  readonly strength: number;
}

/**
 * The likeliest truths of all sources, and of each group. Each group's distribution is drawn towards that of the next larger group: the
 * more so, the smaller the group, and the more alike the groups are. Then the groups are scaled so that they add up to the larger one, for
 * every output, and so for every quantity.
 * @param groups with their larger groups, which come first, as `withParents` gives them.
 * @param likeliest how many of all sources have each output as their truth.
 */
export function poolGroups(
  support: Support,
  response: ResponseModel,
  groups: readonly GroupTally[],
  likeliest: Counts,
): readonly GroupTruth[] {
  const parts = new Map<string, Part[]>();
  for (const { group, tally } of groups) {
    const counts = support.countsOf(tally);
    const part = { group, counts, sources: sum(counts.counts) };
    const key = group.length === 0 ? '' : JSON.stringify(group.slice(0, -1));
    parts.set(key, [...(parts.get(key) ?? []), part]);
  }
  const [all] = parts.get('') ?? [];
  if (all === undefined) throw new RangeError('there must be a group of all sources');
  const root: GroupTruth = {
    group: all.group,
    sources: all.sources,
    observed: all.counts,
    own: likeliest,
    shared: 0,
    base: [],
    strength: 1,
  };
  const truths = [root];
  for (const larger of truths)
    for (const part of divide(support, response, larger, parts.get(JSON.stringify(larger.group)) ?? []))
      truths.push(part);
  return truths;
}

function divide(
  support: Support,
  response: ResponseModel,
  larger: GroupTruth,
  parts: readonly Part[],
): readonly GroupTruth[] {
  if (parts.length === 0) return [];
  const totals = truthsByOutput(larger, support.outputs.length);
  const all = totals.map((total) => total / larger.sources);
  const apart = standingOut(spreadOf(support, response, parts, all));
  const alike = parts.filter((_, part) => !apart.has(part));
  const shares = apart.size === 0 ? all : sharesOf(support, response, alike, all);
  const prior = support.marginsOf({ outputs: [...shares.keys()], counts: shares });
  const likeness = likenessOf(spreadOf(support, response, alike, shares));
  const fitted = parts.map((part, index) => {
    const isApart = apart.has(index);
    const strength = isApart ? LEAST_STRENGTH : likeness.strength;
    const { kept, total } = fit(support, response, part.counts, prior, strength);
    const unknown = part.sources - total;
    // Of the sources that were replaced, this part follows the group's own reports.
    const trust = strength === Infinity ? 0 : unknown / (total + strength);
    return {
      group: part.group,
      sources: part.sources,
      own: { outputs: kept.outputs, counts: kept.counts.map((count) => count * (1 + trust)) },
      shared: strength === Infinity ? unknown : trust * strength,
      observed: part.counts,
      strength: isApart ? LEAST_STRENGTH : likeness.cautious,
    };
  });
  return rake(fitted, shares, totals);
}

function truthsByOutput({ own, shared, base }: GroupTruth, outputs: number): readonly number[] {
  const totals = Array.from({ length: outputs }, (_, output) => shared * (base[output] ?? 0));
  own.outputs.forEach((output, index) => {
    totals[output] = (totals[output] ?? 0) + (own.counts[index] ?? 0);
  });
  return totals;
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

type Unscaled = Omit<GroupTruth, 'base'>;

const MAX_SWEEPS = 200;

/**
 * Scales groups and outputs in turn until every group has its number of sources and every output its total (iterative proportional fitting:
 * Deming & Stephan 1940).
 */
function rake(
  parts: readonly Unscaled[],
  shares: readonly number[],
  totals: readonly number[],
): readonly GroupTruth[] {
  const ofPart = parts.map(() => 1);
  let ofOutput = totals.map(() => 1);
  for (let sweep = 0; sweep < MAX_SWEEPS; sweep++) {
    const common = sum(parts.map(({ shared }, part) => shared * (ofPart[part] ?? 0)));
    const reached = shares.map((share) => share * common);
    parts.forEach(({ own }, part) =>
      own.outputs.forEach((output, index) => {
        reached[output] = (reached[output] ?? 0) + (ofPart[part] ?? 0) * (own.counts[index] ?? 0);
      }),
    );
    ofOutput = totals.map((total, output) => (total > 0 ? total / (reached[output] ?? 0) : 0));
    const base = sum(shares.map((share, output) => share * (ofOutput[output] ?? 0)));
    let change = 0;
    parts.forEach(({ own, shared, sources }, part) => {
      const size =
        shared * base +
        own.outputs.reduce(
          (size, output, index) => size + (ofOutput[output] ?? 0) * (own.counts[index] ?? 0),
          0,
        );
      const scale = sources / size;
      change = Math.max(change, Math.abs(scale / (ofPart[part] ?? 1) - 1));
      ofPart[part] = scale;
    });
    if (change < 1e-12) break;
  }
  const base = shares.map((share, output) => share * (ofOutput[output] ?? 0));
  return parts.map((part, index) => {
    const scale = ofPart[index] ?? 1;
    const counts = part.own.outputs.map(
      (output, at) => scale * (ofOutput[output] ?? 0) * (part.own.counts[at] ?? 0),
    );
    return { ...part, own: { outputs: part.own.outputs, counts }, shared: scale * part.shared, base };
  });
}
