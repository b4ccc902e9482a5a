/**
 * The space of all outputs of a source: every multiset of (trigger data, report window) pairs that its configuration allows
 * (flexible_event_config.md; field.md of the explainer's tool). With w windows, j reports of one trigger data can fall in
 * C(w+j−1, j) ways. Counting and ranking use the same sums, so states and numbers match one to one.
 */
export interface ReportSpaceShape {
  readonly triggerData: readonly {
    readonly windows: number;
    /** The most reports of this trigger data: the number of its summary buckets. */
    readonly maxReports: number;
  }[];
  readonly maxReports: number;
}

/** One output: for each trigger data, the window indices of its reports, ascending. */
export type ReportState = readonly (readonly number[])[];

/** The exact number of outputs: the sum of the coefficients of a product of polynomials. */
export function countStates({ triggerData, maxReports }: ReportSpaceShape): bigint {
  let product: readonly bigint[] = [1n];
  for (const { windows, reports, power } of alike(triggerData)) {
    const polynomial = waysByReports(windows, Math.min(reports, maxReports));
    product = multiply(product, raise(polynomial, power, maxReports), maxReports);
  }
  let states = 0n;
  for (const coefficient of product) states += coefficient;
  return states;
}

/** Equal trigger data share a polynomial, which is raised to a power by squaring. */
function alike(
  triggerData: ReportSpaceShape['triggerData'],
): readonly { readonly windows: number; readonly reports: number; readonly power: number }[] {
  const groups: { windows: number; reports: number; power: number }[] = [];
  for (const { windows, maxReports: reports } of triggerData) {
    const group = groups.find((known) => known.windows === windows && known.reports === reports);
    if (group === undefined) groups.push({ windows, reports, power: 1 });
    else group.power += 1;
  }
  return groups;
}

/** Coefficient j: the number of ways in which j reports can fall into the windows. */
function waysByReports(windows: number, maxReports: number): bigint[] {
  return Array.from({ length: maxReports + 1 }, (_, reports) => multisets(windows, reports));
}

function raise(polynomial: readonly bigint[], power: number, degree: number): readonly bigint[] {
  if (power === 1) return polynomial;
  const half = raise(polynomial, power >> 1, degree);
  const square = multiply(half, half, degree);
  return power % 2 === 0 ? square : multiply(square, polynomial, degree);
}

function multiply(a: readonly bigint[], b: readonly bigint[], degree: number): readonly bigint[] {
  const product: bigint[] = [];
  for (let sum = 0; sum <= Math.min(a.length + b.length - 2, degree); sum++) {
    let coefficient = 0n;
    for (let i = Math.max(0, sum - b.length + 1); i < a.length && i <= sum; i++)
      coefficient += at(a, i) * at(b, sum - i);
    product.push(coefficient);
  }
  return product;
}

/** Maps numbers 0 … `states` − 1 to outputs and back. */
export class ReportSpace {
  readonly states: bigint;
  /** `ways[i][r]`: the number of outputs of the trigger data from i on, with at most r reports left. */
  private readonly ways: readonly (readonly bigint[])[];

  constructor(private readonly shape: ReportSpaceShape) {
    const ways = [new Array<bigint>(shape.maxReports + 1).fill(1n)];
    for (const { windows, maxReports } of [...shape.triggerData].reverse()) {
      const rest = at(ways, 0);
      const fits = waysByReports(windows, Math.min(maxReports, shape.maxReports));
      ways.unshift(
        rest.map((_, left) => sumUpTo(left, (reports) => (fits[reports] ?? 0n) * at(rest, left - reports))),
      );
    }
    this.ways = ways;
    this.states = at(at(ways, 0), shape.maxReports);
  }

  /** The output with this number; 0 is the output without reports. @throws RangeError unless 0 ≤ `state` < `states`. */
  decode(state: bigint): ReportState {
    if (state < 0n || state >= this.states) {
      throw new RangeError(`state must be from 0 to ${String(this.states - 1n)}, was ${String(state)}`);
    }
    let index = state;
    let left = this.shape.maxReports;
    return this.shape.triggerData.map(({ windows }, position) => {
      const rest = at(this.ways, position + 1);
      let reports = 0;
      for (let block = at(rest, left); index >= block;) {
        index -= block;
        reports += 1;
        block = multisets(windows, reports) * at(rest, left - reports);
      }
      left -= reports;
      const blockSize = at(rest, left);
      const placement = index / blockSize;
      index %= blockSize;
      return unrankMultiset(placement, windows, reports);
    });
  }

  /** The inverse of `decode`; window indices in any order. @throws RangeError if the configuration does not allow the output. */
  encode(state: ReportState): bigint {
    this.check(state);
    let index = 0n;
    let left = this.shape.maxReports;
    this.shape.triggerData.forEach(({ windows }, position) => {
      const rest = at(this.ways, position + 1);
      const placed = at(state, position);
      for (let reports = 0; reports < placed.length; reports++) {
        index += multisets(windows, reports) * at(rest, left - reports);
      }
      left -= placed.length;
      index += rankMultiset(placed, windows) * at(rest, left);
    });
    return index;
  }

  private check(state: ReportState): void {
    const { triggerData, maxReports } = this.shape;
    if (state.length !== triggerData.length) {
      throw new RangeError(`state must have ${triggerData.length} lists of windows, has ${state.length}`);
    }
    triggerData.forEach(({ windows, maxReports: cap }, position) => {
      const placed = at(state, position);
      if (placed.length > cap) {
        throw new RangeError(
          `trigger data at position ${position} must have at most ${cap} reports, has ${placed.length}`,
        );
      }
      const bad = placed.find((window) => !Number.isInteger(window) || window < 0 || window >= windows);
      if (bad !== undefined) {
        throw new RangeError(
          `trigger data at position ${position} has the windows 0 to ${windows - 1}, not ${bad}`,
        );
      }
    });
    const total = state.reduce((sum, placed) => sum + placed.length, 0);
    if (total > maxReports)
      throw new RangeError(`state must have at most ${maxReports} reports, has ${total}`);
  }
}

/** C(windows + reports − 1, reports), the number of multisets of window indices of that size. */
export function multisets(windows: number, reports: number): bigint {
  let count = 1n;
  for (let size = 1; size <= reports; size++) count = (count * BigInt(windows + size - 1)) / BigInt(size);
  return count;
}

/** The order of multisets: most reports in the first window last, then likewise for the next window. */
function unrankMultiset(rank: bigint, windows: number, reports: number): number[] {
  const placed: number[] = [];
  let index = rank;
  let left = reports;
  for (let window = 0; window < windows && left > 0; window++) {
    let here = 0;
    for (let block = laterMultisets(windows, window, left); index >= block;) {
      index -= block;
      here += 1;
      block = laterMultisets(windows, window, left - here);
    }
    placed.push(...new Array<number>(here).fill(window));
    left -= here;
  }
  return placed;
}

function rankMultiset(placed: readonly number[], windows: number): bigint {
  let rank = 0n;
  let left = placed.length;
  for (let window = 0; window < windows && left > 0; window++) {
    const here = placed.filter((other) => other === window).length;
    for (let fewer = 0; fewer < here; fewer++) rank += laterMultisets(windows, window, left - fewer);
    left -= here;
  }
  return rank;
}

/** The number of ways in which `reports` can fall into the windows after `window`. */
const laterMultisets = (windows: number, window: number, reports: number): bigint =>
  windows - window - 1 === 0 ? (reports === 0 ? 1n : 0n) : multisets(windows - window - 1, reports);

function sumUpTo(last: number, term: (index: number) => bigint): bigint {
  let sum = 0n;
  for (let index = 0; index <= last; index++) sum += term(index);
  return sum;
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`index ${index} is outside a list of ${list.length}`);
  return item;
}
