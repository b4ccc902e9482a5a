import type { Model } from './model';
import type { RandomNumbers } from './random-numbers';

export interface Selection {
  /** A row of a table stays if a step's noisy count of the examples that use it is at least this. */
  readonly threshold: number;
  /** The standard deviation of the noise of a count, over the length of one example's counts. */
  readonly deviation: number;
}

/** How many times as much noise counts get as gradients do. */
const RATIO = 5;

/**
 * Two Gaussian mechanisms of the same examples, one for counts and one for gradients, that are together as private as one with this deviation: the
 * squares of their inverse deviations add up, because both together are one vector with noise.
 */
export const splitNoise = (deviation: number): { readonly counts: number; readonly gradients: number } => {
  const gradients = deviation * Math.sqrt(1 + RATIO ** -2);
  return { counts: RATIO * gradients, gradients };
};

/**
 * Sparsity-preserving DP-SGD (DP-AdaFEST: Ghazi, Huang, Kamath, Kumar, Manurangsi, Sinha & Zhang 2023): in each step, only rows of tables that many
 * examples use change, and get noise. Others get neither gradient nor noise. Which rows are used is protected by noise, too: an example has one row for each
 * of F features at most, so its counts are √F long at most.
 */
export class RowSelection {
  private readonly counts: Float64Array;
  private readonly left: Uint8Array;

  constructor(
    private readonly model: Model,
    private readonly selection: Selection,
    private readonly random: RandomNumbers,
  ) {
    this.counts = new Float64Array(model.parameters.length);
    this.left = new Uint8Array(model.parameters.length);
  }

  /** Whether each parameter is left out of the step, after the model's last `backward`; the next call overwrites it. */
  leftOut(): Uint8Array {
    const { model, counts, left, selection, random } = this;
    counts.fill(0);
    left.fill(0);
    model.eachRow((place) => {
      counts[place] = (counts[place] ?? 0) + 1;
    });
    const spread = selection.deviation * Math.sqrt(model.features);
    for (const { from, rows, width } of model.tables)
      for (let place = from; place < from + rows * width; place += width) {
        const count = (counts[place] ?? 0) + (spread === 0 ? 0 : spread * random.normal());
        if (count < selection.threshold) left.fill(1, place, place + width);
      }
    return left;
  }
}
