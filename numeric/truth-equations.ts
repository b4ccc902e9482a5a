import { dot, zeros, type Vector } from './vectors';

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
    const count = outputs.length;
    this.lackPrices = zeros(count);
    this.inverse = zeros(count);
    this.share = zeros(count);
    this.diagonal = zeros(count);
    let primal = 0;
    let total = 0;
    let moment = 0;
    for (let j = 0; j < count; j++) {
      const output = outputs[j] ?? 0;
      const abovePrice = abovePrices[j] ?? 0;
      const belowPrice = belowPrices[j] ?? 0;
      const cost = prior * (output - truth) * (output - truth);
      const probability = ratio * (masses[j] ?? 0) + (above[j] ?? 0);
      const up = abovePrice / (above[j] ?? 0);
      const down = belowPrice / (below[j] ?? 0);
      const inverse = 1 / (up + down);
      primal += cost * probability;
      total += probability;
      moment += probability * output;
      this.lackPrices[j] = cost - level - slope * output - abovePrice + belowPrice;
      this.inverse[j] = inverse;
      this.share[j] = (ratio * up + down) * inverse;
      this.diagonal[j] = (1 - ratio) * (1 - ratio) * up * down * inverse;
    }
    this.primal = primal;
    this.dual = level + slope * truth;
    this.lackSum = 1 - total;
    this.lackMean = truth - moment;
    const sum = this.inverse.reduce((a, b) => a + b);
    this.mean = dot(this.inverse, outputs) / sum;
    this.centred = outputs.map((output) => output - this.mean);
    this.weight = 1 / sum;
    this.spread = 1 / this.centred.reduce((all, own, j) => all + own * own * (this.inverse[j] ?? 0), 0);
    const [bySum, byMean] = [Math.sqrt(this.weight), Math.sqrt(this.spread)];
    this.bySum = this.share.map((share) => share * bySum);
    this.byMean = this.share.map((share, j) => share * (this.centred[j] ?? 0) * byMean);
  }

  aim(centre: number, before: Row | null): Aim {
    const { above, below, abovePrices, belowPrices } = this.row;
    const count = this.inverse.length;
    const [up, down, rest, onMasses] = [zeros(count), zeros(count), zeros(count), zeros(count)];
    let moved = 0;
    let movedMean = 0;
    for (let j = 0; j < count; j++) {
      const aboveProduct = before === null ? 0 : (before.above[j] ?? 0) * (before.abovePrices[j] ?? 0);
      const belowProduct = before === null ? 0 : (before.below[j] ?? 0) * (before.belowPrices[j] ?? 0);
      const upward = (centre - aboveProduct) / (above[j] ?? 0) - (abovePrices[j] ?? 0);
      const downward = (centre - belowProduct) / (below[j] ?? 0) - (belowPrices[j] ?? 0);
      const own = upward - downward - (this.lackPrices[j] ?? 0);
      const move = own * (this.inverse[j] ?? 0);
      up[j] = upward;
      down[j] = downward;
      rest[j] = own;
      moved += move;
      movedMean += move * (this.centred[j] ?? 0);
    }
    const level = (this.lackSum - moved) * this.weight;
    const slope = (this.lackMean - this.mean * this.lackSum - movedMean) * this.spread;
    for (let j = 0; j < count; j++) {
      const lack =
        this.ratio * ((abovePrices[j] ?? 0) + (up[j] ?? 0)) - ((belowPrices[j] ?? 0) + (down[j] ?? 0));
      onMasses[j] = (this.share[j] ?? 0) * ((rest[j] ?? 0) + level + slope * (this.centred[j] ?? 0)) - lack;
    }
    return { level, slope, above: up, below: down, onMasses };
  }

  changes(masses: Vector, aim: Aim): Row {
    const { above, below, abovePrices, belowPrices } = this.row;
    const count = this.inverse.length;
    let pulled = 0;
    let pulledMean = 0;
    for (let j = 0; j < count; j++) {
      const pull = (masses[j] ?? 0) * (this.share[j] ?? 0);
      pulled += pull;
      pulledMean += pull * (this.centred[j] ?? 0);
    }
    const level = aim.level - pulled * this.weight;
    const slope = aim.slope - pulledMean * this.spread;
    const by = {
      above: zeros(count),
      below: zeros(count),
      abovePrices: zeros(count),
      belowPrices: zeros(count),
    };
    for (let j = 0; j < count; j++) {
      const wide = (1 - this.ratio) * (masses[j] ?? 0);
      const onAbove = aim.above[j] ?? 0;
      const onBelow = aim.below[j] ?? 0;
      const down = (belowPrices[j] ?? 0) / (below[j] ?? 0);
      const up = (abovePrices[j] ?? 0) / (above[j] ?? 0);
      const rest = onAbove - onBelow - (this.lackPrices[j] ?? 0) + down * wide;
      const aboveBy = (rest + level + slope * (this.centred[j] ?? 0)) * (this.inverse[j] ?? 0);
      by.above[j] = aboveBy;
      by.below[j] = wide - aboveBy;
      by.abovePrices[j] = onAbove - up * aboveBy;
      by.belowPrices[j] = onBelow - down * (wide - aboveBy);
    }
    return { level: level - slope * this.mean, slope, ...by };
  }
}
