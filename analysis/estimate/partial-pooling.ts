import { fit } from './likeliest-model';
import { sum, type Counts, type Expectation, type Margins, type Support } from './output-model';
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
  /** How many sources of known truth the distribution of the larger group weighs as much as; for all sources, that of `Support.vague`. */
  readonly strength: number;
}

export interface Pooled {
  readonly groups: readonly GroupTruth[];
  /** The fit to all sources together. */
  readonly whole: Expectation;
}

/**
 * The likeliest truths of all sources, and of each group. Each group's distribution is drawn towards that of the next larger group: the
 * more so, the smaller the group, and the more alike the groups are. Then the groups are scaled so that they add up to the larger one, for
 * every output, and so for every quantity.
 * @param groups with their larger groups, which come first, as `withParents` gives them.
 */
export function poolGroups(support: Support, response: ResponseModel, groups: readonly GroupTally[]): Pooled {
  const parts = new Map<string, Part[]>();
  for (const { group, tally } of groups) {
    const counts = support.countsOf(tally);
    const part = { group, counts, sources: sum(counts.counts) };
    const key = group.length === 0 ? '' : JSON.stringify(group.slice(0, -1));
    parts.set(key, [...(parts.get(key) ?? []), part]);
  }
  const [all] = parts.get('') ?? [];
  if (all === undefined) throw new RangeError('there must be a group of all sources');
  const whole = fit(support, response, all.counts, support.even(), 0);
  const scale = all.sources / whole.total;
  const root: GroupTruth = {
    group: all.group,
    sources: all.sources,
    observed: all.counts,
    own: { outputs: whole.kept.outputs, counts: whole.kept.counts.map((count) => count * scale) },
    shared: 0,
    base: [],
    strength: 1,
  };
  const truths = [root];
  for (const larger of truths)
    truths.push(...divide(support, response, larger, parts.get(JSON.stringify(larger.group)) ?? []));
  return { groups: truths, whole };
}

interface Part {
  readonly group: readonly string[];
  readonly counts: Counts;
  readonly sources: number;
}

function divide(
  support: Support,
  response: ResponseModel,
  larger: GroupTruth,
  parts: readonly Part[],
): readonly GroupTruth[] {
  if (parts.length === 0) return [];
  const totals = truthsByOutput(larger, support.outputs.length);
  const shares = totals.map((total) => total / larger.sources);
  const prior = support.marginsOf({ outputs: [...shares.keys()], counts: shares });
  const strength = likeness(support, response, parts, prior, shares);
  const fitted = parts.map((part) => {
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
      strength,
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

/**
 * How alike the groups are, by the method of moments: the weight of the larger group's distribution in sources of known truth (the
 * concentration of a Dirichlet distribution), infinite if the groups differ no more than by chance. It compares the spread of the groups'
 * margins with the spread that chance gives.
 */
function likeness(
  support: Support,
  response: ResponseModel,
  parts: readonly Part[],
  prior: Margins,
  shares: readonly number[],
): number {
  const sources = sum(parts.map((part) => part.sources));
  const observed = new Map<number, number>();
  for (const { counts } of parts)
    counts.outputs.forEach((output, index) =>
      observed.set(output, (observed.get(output) ?? 0) + (counts.counts[index] ?? 0)),
    );
  const all: Counts = { outputs: [...observed.keys()], counts: [...observed.values()] };
  const { kept } = support.expect(response, all, prior);
  const weights = new Map(
    all.outputs.map((output, index) => [output, (kept.counts[index] ?? 0) / (all.counts[index] ?? 1)]),
  );
  const moments = marginMoments(support, weights);
  const pooled = moments({ outputs: all.outputs, counts: all.counts.map((count) => count / sources) });
  const truth = moments({
    outputs: all.outputs,
    counts: all.outputs.map((output) => shares[output] ?? 0),
  });
  const byPart = parts.map(({ counts }) => moments(counts).means);
  let [excess, room] = [0, 0];
  pooled.means.forEach((mean, margin) => {
    const variance = (pooled.squares[margin] ?? 0) - mean ** 2;
    if (!(variance > 1e-15)) return;
    const between = response.keep ** 2 * ((truth.squares[margin] ?? 0) - (truth.means[margin] ?? 0) ** 2);
    parts.forEach(({ sources: own }, part) => {
      const difference = (byPart[part]?.[margin] ?? 0) - own * mean;
      const rest = 1 - own / sources;
      excess += difference ** 2 / variance - own * rest;
      room += (between / variance) * own ** 2 * rest;
    });
  });
  return excess > 0 ? Math.max(room / excess - 1, 0) : Infinity;
}

/** For each class and each cell, the sum over outputs of how often it occurs in them, weighted; and of its square. */
const marginMoments =
  (support: Support, weights: ReadonlyMap<number, number>) =>
  ({
    outputs,
    counts,
  }: Counts): { readonly means: readonly number[]; readonly squares: readonly number[] } => {
    const [means, squares]: [number[], number[]] = [[], []];
    const classes = support.even().classes.length;
    outputs.forEach((output, index) => {
      const weight = weights.get(output) ?? 0;
      const count = counts[index] ?? 0;
      const occurrences = new Map([[support.classOf[output] ?? 0, 1]]);
      for (const cell of support.cellsOf[output] ?? [])
        occurrences.set(classes + cell, (occurrences.get(classes + cell) ?? 0) + 1);
      for (const [margin, times] of occurrences) {
        means[margin] = (means[margin] ?? 0) + count * weight * times;
        squares[margin] = (squares[margin] ?? 0) + count * (weight * times) ** 2;
      }
    });
    return { means: Array.from(means, zero), squares: Array.from(squares, zero) };
  };

const zero = (value: number | undefined): number => value ?? 0;

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
