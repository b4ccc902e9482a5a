import { sum, type Counts } from './output-model';
import type { Strengths } from './strength-posterior';

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
   * As how many sources of known truth the distribution of the larger group counts in intervals, as far as the groups show it. For all sources,
   * as how many the vague priors count.
   */
  readonly strengths: Strengths;
  /** Whether intervals start from the vague priors instead of the larger group. */
  readonly isAlone: boolean;
  /** What it adds up to: with the others to the larger group, to its own likeliest numbers, or to its own unbiased ones. */
  readonly sums: 'scaled' | 'likeliest' | 'unbiased';
}

/** Before groups and outputs are scaled. */
export type Unscaled = Omit<GroupTruth, 'base' | 'sums'>;

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
    return {
      ...part,
      own: { outputs: part.own.outputs, counts },
      shared: scale * part.shared,
      base,
      sums: 'scaled',
    };
  });
}

/** A part with its number of sources multiplied by a weight. */
export const scaledBy = (weight: number, part: Unscaled): Unscaled =>
  weight === 1
    ? part
    : {
        ...part,
        sources: weight * part.sources,
        own: { outputs: part.own.outputs, counts: part.own.counts.map((count) => weight * count) },
        shared: weight * part.shared,
      };

/** A part whose estimate is shrunk towards the larger group in part has two pieces. */
export function joined(pieces: readonly GroupTruth[], sources: number, outputs: number): GroupTruth {
  const [first, second] = pieces;
  if (first === undefined) throw new RangeError('a part has an estimate');
  if (second === undefined) return first;
  const more = truthsByOutput(second, outputs);
  const counts = truthsByOutput(first, outputs).map((count, output) => count + (more[output] ?? 0));
  return { ...first, sources, own: { outputs: [...counts.keys()], counts }, shared: 0, sums: 'scaled' };
}

export function truthsByOutput(
  { own, shared, base }: Pick<GroupTruth, 'own' | 'shared' | 'base'>,
  outputs: number,
): readonly number[] {
  const totals = new Array<number>(outputs).fill(NaN);
  for (let output = 0; output < outputs; output++) totals[output] = shared * (base[output] ?? 0);
  for (let index = 0; index < own.outputs.length; index++) {
    const output = own.outputs[index] ?? 0;
    totals[output] = (totals[output] ?? 0) + (own.counts[index] ?? 0);
  }
  return totals;
}
