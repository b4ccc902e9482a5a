import { dot, type Vector } from './vectors';

/** For one truth, by output: probability = ratio·mass + above = mass − below. */
export interface Row {
  readonly above: Vector;
  readonly below: Vector;
  /** The dual prices of above ≥ 0 and below ≥ 0. */
  readonly abovePrices: Vector;
  readonly belowPrices: Vector;
  /** The dual prices of the probabilities' sum, and of their mean. */
  level: number;
  slope: number;
}

/** What a step of one truth would be if the masses stayed. */
export interface Aim {
  readonly level: number;
  readonly slope: number;
  readonly above: Vector;
  readonly below: Vector;
  readonly onMasses: Vector;
}

const NONE = new Float64Array();
export const NO_AIM: Aim = { level: 0, slope: 0, above: NONE, below: NONE, onMasses: NONE };

/** One truth's part. Given the changes of the masses, the rest follows for each truth alone. Levels are taken at the weighted mean output. */
export class TruthEquations {
  readonly primal: number;
  readonly dual: number;
  readonly lackSum: number;
  readonly lackMean: number;
  readonly diagonal: Vector;
  readonly bySum: Vector;
  readonly byMean: Vector;
  private readonly lackPrices: Vector;
  private readonly inverse: Vector;
  private readonly share: Vector;
  private readonly mean: number;
  private readonly centred: Vector;
  private readonly weight: number;
  private readonly spread: number;

  constructor(
    truth: number,
    prior: number,
    outputs: Vector,
    private readonly ratio: number,
    masses: Vector,
    private readonly row: Row,
  ) {
    const { above, below, abovePrices, belowPrices, level, slope } = row;
    const costs = outputs.map((output) => prior * (output - truth) ** 2);
    const probabilities = masses.map((mass, j) => ratio * mass + (above[j] ?? 0));
    this.primal = dot(costs, probabilities);
    this.dual = level + slope * truth;
    this.lackSum = 1 - probabilities.reduce((a, b) => a + b);
    this.lackMean = truth - dot(probabilities, outputs);
    this.lackPrices = costs.map(
      (cost, j) => cost - level - slope * (outputs[j] ?? 0) - (abovePrices[j] ?? 0) + (belowPrices[j] ?? 0),
    );
    const up = abovePrices.map((price, j) => price / (above[j] ?? 0));
    const down = belowPrices.map((price, j) => price / (below[j] ?? 0));
    this.inverse = up.map((own, j) => 1 / (own + (down[j] ?? 0)));
    this.share = this.inverse.map((inverse, j) => (ratio * (up[j] ?? 0) + (down[j] ?? 0)) * inverse);
    this.diagonal = this.inverse.map(
      (inverse, j) => (1 - ratio) ** 2 * (up[j] ?? 0) * (down[j] ?? 0) * inverse,
    );
    const sum = this.inverse.reduce((a, b) => a + b);
    const mean = dot(this.inverse, outputs) / sum;
    this.mean = mean;
    this.centred = outputs.map((output) => output - mean);
    this.weight = 1 / sum;
    this.spread = 1 / this.centred.reduce((total, own, j) => total + own * own * (this.inverse[j] ?? 0), 0);
    this.bySum = this.share.map((share) => share * Math.sqrt(this.weight));
    this.byMean = this.share.map((share, j) => share * (this.centred[j] ?? 0) * Math.sqrt(this.spread));
  }

  aim(centre: number, before: Row | null): Aim {
    const { above, below, abovePrices, belowPrices } = this.row;
    const aimed = (slacks: Vector, prices: Vector, by?: Vector, pricesBy?: Vector): Vector =>
      slacks.map((slack, j) => (centre - (by?.[j] ?? 0) * (pricesBy?.[j] ?? 0)) / slack - (prices[j] ?? 0));
    const up = aimed(above, abovePrices, before?.above, before?.abovePrices);
    const down = aimed(below, belowPrices, before?.below, before?.belowPrices);
    const rest = up.map((own, j) => own - (down[j] ?? 0) - (this.lackPrices[j] ?? 0));
    const moved = rest.map((own, j) => own * (this.inverse[j] ?? 0));
    const level = (this.lackSum - moved.reduce((a, b) => a + b)) * this.weight;
    const slope = (this.lackMean - this.mean * this.lackSum - dot(moved, this.centred)) * this.spread;
    const onMasses = rest.map((own, j) => {
      const lack =
        this.ratio * ((abovePrices[j] ?? 0) + (up[j] ?? 0)) - ((belowPrices[j] ?? 0) + (down[j] ?? 0));
      return (this.share[j] ?? 0) * (own + level + slope * (this.centred[j] ?? 0)) - lack;
    });
    return { level, slope, above: up, below: down, onMasses };
  }

  changes(masses: Vector, aim: Aim): Row {
    const { above, below, abovePrices, belowPrices } = this.row;
    const pulled = masses.map((mass, j) => mass * (this.share[j] ?? 0));
    const level = aim.level - pulled.reduce((a, b) => a + b) * this.weight;
    const slope = aim.slope - dot(pulled, this.centred) * this.spread;
    const wide = masses.map((mass) => (1 - this.ratio) * mass);
    const down = belowPrices.map((price, j) => price / (below[j] ?? 0));
    const aboveBy = wide.map((mass, j) => {
      const rest =
        (aim.above[j] ?? 0) - (aim.below[j] ?? 0) - (this.lackPrices[j] ?? 0) + (down[j] ?? 0) * mass;
      return (rest + level + slope * (this.centred[j] ?? 0)) * (this.inverse[j] ?? 0);
    });
    const belowBy = wide.map((mass, j) => mass - (aboveBy[j] ?? 0));
    return {
      level: level - slope * this.mean,
      slope,
      above: aboveBy,
      below: belowBy,
      abovePrices: aim.above.map(
        (own, j) => own - ((abovePrices[j] ?? 0) / (above[j] ?? 0)) * (aboveBy[j] ?? 0),
      ),
      belowPrices: aim.below.map((own, j) => own - (down[j] ?? 0) * (belowBy[j] ?? 0)),
    };
  }
}
