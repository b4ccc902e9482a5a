import { sum, type Counts } from './output-model';

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

/** Before groups and outputs are scaled. */
export type Unscaled = Omit<GroupTruth, 'base'>;

const MAX_SWEEPS = 200;

/**
 * Scales groups and outputs in turn until every group has its number of sources and every output its total (iterative proportional fitting:
 * Deming & Stephan 1940).
 */
export function rake(
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
