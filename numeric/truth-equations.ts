import { zeros, type Vector } from './vectors';

/** For one truth, by output: the share of its mass above the least probability, and what of the mass is left. */
export interface Row {
  readonly above: Vector;
  readonly below: Vector;
  /** The dual prices of above ≥ 0 and below ≥ 0. */
  readonly abovePrices: Vector;
  readonly belowPrices: Vector;
  /** The dual prices of the sum of `above`, and of its mean. */
  level: number;
  slope: number;
}

/** What all truths share: the masses, and at the end `room` and `lean`. See `OutputProgramme`. */
export interface Shared {
  /** Centred and scaled. */
  readonly outputs: Vector;
  readonly unknowns: Vector;
  /** ratio of the least to the greatest probability, and the rest to 1. */
  readonly ratio: number;
  readonly slack: number;
}

/** What a step of one truth would be if the unknowns stayed. */
export interface Aim {
  readonly centre: number;
  readonly offset: number;
  readonly above: Vector;
  readonly below: Vector;
  /** By output, then of `room` and `lean`. */
  readonly onUnknowns: Vector;
}

const NONE = new Float64Array();
export const NO_AIM: Aim = { centre: 0, offset: 0, above: NONE, below: NONE, onUnknowns: NONE };

/**
 * One truth's part. Given the changes of the unknowns, the rest follows for each truth alone. Prices level + slope·output are taken at the
 * weighted mean output, as centre + slope·(output − mean).
 */
export class TruthEquations {
  readonly primal: number;
  readonly dual: number;
  readonly lackSum: number;
  readonly lackMean: number;
  /** What is added to the matrix of the unknowns: a diagonal, and the squares of two vectors. */
  readonly diagonal: Vector;
  readonly bySum: Vector;
  readonly byMean: Vector;
  private readonly costs: Vector;
  private readonly ratio: number;
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
    { outputs, unknowns, ratio, slack }: Shared,
    private readonly row: Row,
  ) {
    this.ratio = ratio;
    const { above, below, abovePrices, belowPrices, level, slope } = row;
    const count = outputs.length;
    this.costs = zeros(count);
    this.lackPrices = zeros(count);
    this.inverse = zeros(count);
    this.share = zeros(count);
    this.diagonal = zeros(count + 2);
    let primal = 0;
    let total = 0;
    let moment = 0;
    for (let j = 0; j < count; j++) {
      const output = outputs[j] ?? 0;
      const abovePrice = abovePrices[j] ?? 0;
      const belowPrice = belowPrices[j] ?? 0;
      const own = above[j] ?? 0;
      const error = output - slack * truth;
      const cost = prior * error * error;
      const up = abovePrice / own;
      const down = belowPrice / (below[j] ?? 0);
      const inverse = 1 / (up + down);
      primal += cost * (ratio * (unknowns[j] ?? 0) + slack * own);
      total += own;
      moment += own * output;
      this.costs[j] = cost;
      this.lackPrices[j] = slack * cost - level - slope * output - abovePrice + belowPrice;
      this.inverse[j] = inverse;
      this.share[j] = down * inverse;
      this.diagonal[j] = up * down * inverse;
    }
    this.primal = primal;
    this.dual = slope * truth;
    this.lackSum = (unknowns[count] ?? 0) - total;
    this.lackMean = truth - (unknowns[count + 1] ?? 0) - moment;
    let sum = 0;
    let first = 0;
    for (let j = 0; j < count; j++) {
      sum += this.inverse[j] ?? 0;
      first += (this.inverse[j] ?? 0) * (outputs[j] ?? 0);
    }
    this.mean = first / sum;
    this.centred = outputs.map((output) => output - this.mean);
    this.weight = 1 / sum;
    this.spread = 1 / this.centred.reduce((all, own, j) => all + own * own * (this.inverse[j] ?? 0), 0);
    const [bySum, byMean] = [Math.sqrt(this.weight), Math.sqrt(this.spread)];
    this.bySum = zeros(count + 2);
    this.byMean = zeros(count + 2);
    for (let j = 0; j < count; j++) {
      const share = this.share[j] ?? 0;
      this.bySum[j] = share * bySum;
      this.byMean[j] = share * (this.centred[j] ?? 0) * byMean;
    }
    this.bySum[count] = -bySum;
    this.byMean[count] = this.mean * byMean;
    this.byMean[count + 1] = byMean;
  }

  aim(product: number, before: Row | null): Aim {
    const { above, below, abovePrices, belowPrices } = this.row;
    const count = this.inverse.length;
    const [up, down, rest, onUnknowns] = [zeros(count), zeros(count), zeros(count), zeros(count + 2)];
    let moved = 0;
    let movedMean = 0;
    for (let j = 0; j < count; j++) {
      const aboveProduct = before === null ? 0 : (before.above[j] ?? 0) * (before.abovePrices[j] ?? 0);
      const belowProduct = before === null ? 0 : (before.below[j] ?? 0) * (before.belowPrices[j] ?? 0);
      const upward = (product - aboveProduct) / (above[j] ?? 0) - (abovePrices[j] ?? 0);
      const downward = (product - belowProduct) / (below[j] ?? 0) - (belowPrices[j] ?? 0);
      const own = upward - downward - (this.lackPrices[j] ?? 0);
      const move = own * (this.inverse[j] ?? 0);
      up[j] = upward;
      down[j] = downward;
      rest[j] = own;
      moved += move;
      movedMean += move * (this.centred[j] ?? 0);
    }
    const centre = (this.lackSum - moved) * this.weight;
    const offset = (this.lackMean - this.mean * this.lackSum - movedMean) * this.spread;
    for (let j = 0; j < count; j++)
      onUnknowns[j] =
        (belowPrices[j] ?? 0) -
        this.ratio * (this.costs[j] ?? 0) +
        (down[j] ?? 0) +
        (this.share[j] ?? 0) * ((rest[j] ?? 0) + centre + offset * (this.centred[j] ?? 0));
    onUnknowns[count] = -(this.row.level + centre - offset * this.mean);
    onUnknowns[count + 1] = this.row.slope + offset;
    return { centre, offset, above: up, below: down, onUnknowns };
  }

  changes(unknowns: Vector, aim: Aim): Row {
    const { above, below, abovePrices, belowPrices } = this.row;
    const count = this.inverse.length;
    const [room, lean] = [unknowns[count] ?? 0, unknowns[count + 1] ?? 0];
    let pulled = -room;
    let pulledMean = this.mean * room + lean;
    for (let j = 0; j < count; j++) {
      const pull = (unknowns[j] ?? 0) * (this.share[j] ?? 0);
      pulled += pull;
      pulledMean += pull * (this.centred[j] ?? 0);
    }
    const centre = aim.centre - pulled * this.weight;
    const slope = aim.offset - pulledMean * this.spread;
    const by = {
      above: zeros(count),
      below: zeros(count),
      abovePrices: zeros(count),
      belowPrices: zeros(count),
    };
    for (let j = 0; j < count; j++) {
      const mass = unknowns[j] ?? 0;
      const onAbove = aim.above[j] ?? 0;
      const onBelow = aim.below[j] ?? 0;
      const down = (belowPrices[j] ?? 0) / (below[j] ?? 0);
      const up = (abovePrices[j] ?? 0) / (above[j] ?? 0);
      const rest = onAbove - onBelow - (this.lackPrices[j] ?? 0) + down * mass;
      const aboveBy = (rest + centre + slope * (this.centred[j] ?? 0)) * (this.inverse[j] ?? 0);
      by.above[j] = aboveBy;
      by.below[j] = mass - aboveBy;
      by.abovePrices[j] = onAbove - up * aboveBy;
      by.belowPrices[j] = onBelow - down * (mass - aboveBy);
    }
    return { level: centre - slope * this.mean, slope, ...by };
  }
}
