import { greatest } from '../../../numeric/extremes';
import type { Composition, ResponseModel } from '../quantities/response-model';

/** Numbers of sources by output; `outputs` are positions in a `Support`. */
export interface Counts {
  readonly outputs: readonly number[];
  readonly counts: readonly number[];
}

/** Sums over outputs that determine the model: sources by class, and reports by cell. */
export interface Margins {
  readonly classes: readonly number[];
  readonly cells: readonly number[];
}

/**
 * The outputs seen so far, taken apart for the model: a source falls into a class, and then each of its reports falls into a cell,
 * independently of the others. So an output has the probability of its class, times the number of orders of its reports, times the
 * probabilities of their cells.
 */
export class Support {
  readonly outputs: string[] = [];
  readonly classOf: number[] = [];
  readonly cellsOf: (readonly number[])[] = [];
  readonly cellNames: string[] = [];
  /** The lists of `cellsOf`, one after the other, and where each begins, which is faster to read. */
  private readonly allCells: number[] = [];
  private readonly starts: number[] = [0];
  /** In how many orders the reports of an output can fall into their cells; 0 if it is no truth. */
  readonly orders: number[] = [];
  private readonly places = new Map<string, number>();
  private readonly classes = new Map<string, number>();
  private readonly cells = new Map<string, number>();
  /** For each cell the list of cells that it shares its probability with. */
  readonly listOf: number[] = [];
  private readonly cellsOfList: number[][] = [];
  /** For each class one of its outputs, and the number of its reports in each list. */
  readonly examples: string[] = [];
  /** For each class, how many reports its outputs have. */
  readonly reportCounts: number[] = [];
  private readonly lengthsOf: (readonly number[])[] = [];
  private readonly shares: number[] = [];
  private readonly totals: number[] = [];
  private readonly added = new Map<(output: string) => number, number[]>();

  constructor(private readonly compositionOf: (output: string) => Composition) {}

  place(output: string): number {
    return numbered(this.places, output, () => {
      const { kind, reports, isPossible, lists } = this.compositionOf(output);
      this.outputs.push(output);
      const ownClass = numbered(this.classes, kind, () => {
        this.examples.push(output);
        this.lengthsOf.push(lists.map(({ length }) => length));
        this.reportCounts.push(reports);
      });
      this.classOf.push(ownClass);
      const cells = lists.map((list, number) =>
        list.map((cell) =>
          numbered(this.cells, `${number} ${cell}`, () => {
            (this.cellsOfList[number] ??= []).push(this.listOf.length);
            this.listOf.push(number);
            this.cellNames.push(cell);
          }),
        ),
      );
      const all = cells.flat();
      this.cellsOf.push(all);
      for (const cell of all) this.allCells.push(cell);
      this.starts.push(this.allCells.length);
      this.orders.push(isPossible ? cells.reduce((product, list) => product * ordersOf(list), 1) : 0);
    });
  }

  countsOf(tally: ReadonlyMap<string, number>): Counts {
    // In an order that does not depend on how the tally was made, so that the same reports give the same digits.
    const sorted = [...tally.keys()].sort();
    return {
      outputs: sorted.map((output) => this.place(output)),
      counts: sorted.map((output) => tally.get(output) ?? 0),
    };
  }

  /** What each output adds, by its place. `adds` is called once for each output. */
  addedBy(adds: (output: string) => number): readonly number[] {
    let added = this.added.get(adds);
    if (added === undefined) this.added.set(adds, (added = []));
    for (let place = added.length; place < this.outputs.length; place++)
      added.push(adds(this.outputs[place] ?? ''));
    return added;
  }

  /** The margins at which every class and every cell is equally likely. */
  even(): Margins {
    return { classes: this.filled(this.classes.size, 1), cells: this.filled(this.cells.size, 1) };
  }

  /** How many lists of cells there are. */
  get lists(): number {
    return this.cellsOfList.length;
  }

  /** The number of free parameters of the model. */
  get parameters(): number {
    const ofLists = this.cellsOfList.map((cells) => cells.length - 1);
    return this.classes.size - 1 + sum(ofLists);
  }

  /** The most that an output adds, if each cell adds so much. */
  mostOf(adds: readonly number[]): number {
    const mostOfList = this.cellsOfList.map((cells) => greatest(cells.map((cell) => adds[cell] ?? 0)));
    return greatest([
      0,
      ...this.lengthsOf.map((lengths) =>
        sum(lengths.map((length, list) => (length === 0 ? 0 : length * (mostOfList[list] ?? 0)))),
      ),
    ]);
  }

  /** The reports that each list has in all sources of these classes. */
  private reportsOf(classes: readonly number[]): readonly number[] {
    const reports = this.filled(this.cellsOfList.length, 0);
    for (let own = 0; own < classes.length; own++) {
      const lengths = this.lengthsOf[own] ?? [];
      for (let list = 0; list < lengths.length; list++)
        reports[list] = (reports[list] ?? 0) + (classes[own] ?? 0) * (lengths[list] ?? 0);
    }
    return reports;
  }

  /** Spreads the reports of sources of these classes over the cells, into `to`: `spread` says how many of a list's fall into each. */
  cellsOfClasses(
    classes: readonly number[],
    weights: readonly number[],
    spread: (reports: number, weights: readonly number[], to: number[]) => void,
    to: number[],
  ): void {
    const reports = this.reportsOf(classes);
    // One list has all cells in their order.
    if (reports.length === 1) {
      spread(reports[0] ?? 0, weights, to);
      return;
    }
    to.fill(0);
    for (let list = 0; list < reports.length; list++) {
      const members = this.cellsOfList[list] ?? [];
      const own = members.map((cell) => weights[cell] ?? 0);
      const parts = members.map(() => 0);
      spread(reports[list] ?? 0, own, parts);
      for (let index = 0; index < members.length; index++) to[members[index] ?? 0] = parts[index] ?? 0;
    }
  }

  marginsOf({
    outputs,
    counts,
  }: {
    readonly outputs: readonly number[];
    readonly counts: ArrayLike<number>;
  }): Margins {
    const margins = this.none();
    for (let index = 0; index < outputs.length; index++) {
      const count = counts[index] ?? 0;
      if (count > 0) this.add(margins, outputs[index] ?? 0, count);
    }
    return margins;
  }

  private none(): { readonly classes: number[]; readonly cells: number[] } {
    return { classes: this.filled(this.classes.size, 0), cells: this.filled(this.cells.size, 0) };
  }

  private add({ classes, cells }: ReturnType<Support['none']>, output: number, count: number): void {
    const own = this.classOf[output] ?? 0;
    classes[own] = (classes[own] ?? 0) + count;
    const end = this.starts[output + 1] ?? 0;
    for (let place = this.starts[output] ?? 0; place < end; place++) {
      const cell = this.allCells[place] ?? 0;
      cells[cell] = (cells[cell] ?? 0) + count;
    }
  }

  /** One step of expectation maximisation (Dempster, Laird & Rubin 1977): which sources were probably not replaced, given a model. */
  expect(response: Noise, observed: Counts, model: Margins): Expectation {
    const uniform = uniformPart(response);
    const margins = this.none();
    const { outputs, counts } = observed;
    const probabilities = this.probabilitiesUnder(model, outputs);
    const kept = new Array<number>(outputs.length);
    let total = 0;
    let logLikelihood = 0;
    let squares = 0;
    for (let index = 0; index < outputs.length; index++) {
      const count = counts[index] ?? 0;
      const probability = probabilities[index] ?? 0;
      const mixed = response.keep * probability + uniform;
      // Without noise, an output that is no truth has the probability 0.
      const own = probability === 0 ? 0 : (count * response.keep * probability) / mixed;
      kept[index] = own;
      total += own;
      logLikelihood += count * Math.log(mixed);
      squares += count ** 2 / mixed;
      this.add(margins, outputs[index] ?? 0, own);
    }
    return { kept: { outputs, counts: kept }, margins, total, logLikelihood, squares };
  }

  /** Draws how many sources of each output were not replaced, and gives the margins of these. @param draw of so many trials, with this chance */
  drawKept(
    response: Noise,
    { outputs, counts }: Counts,
    { classes, cells }: Margins,
    draw: (trials: number, chance: number) => number,
  ): Margins {
    const uniform = uniformPart(response);
    const margins = this.none();
    const sources = sum(classes);
    const shares = this.sharesOfLists(cells);
    for (let index = 0; index < outputs.length; index++) {
      const output = outputs[index] ?? 0;
      const kept = response.keep * this.probability(output, classes, sources, shares);
      const own = draw(counts[index] ?? 0, kept / (kept + uniform));
      if (own > 0) this.add(margins, output, own);
    }
    return margins;
  }

  /** By output of the list, in an array of the caller's own. */
  private probabilitiesUnder({ classes, cells }: Margins, outputs: readonly number[]): Float64Array {
    const sources = sum(classes);
    const shares = this.sharesOfLists(cells);
    const probabilities = new Float64Array(outputs.length);
    for (let index = 0; index < outputs.length; index++)
      probabilities[index] = this.probability(outputs[index] ?? 0, classes, sources, shares);
    return probabilities;
  }

  /** @param shares of each cell in its list. */
  private probability(
    output: number,
    classes: readonly number[],
    sources: number,
    shares: readonly number[],
  ): number {
    let probability = ((classes[this.classOf[output] ?? 0] ?? 0) * (this.orders[output] ?? 0)) / sources;
    const end = this.starts[output + 1] ?? 0;
    for (let place = this.starts[output] ?? 0; place < end; place++)
      probability *= shares[this.allCells[place] ?? 0] ?? 0;
    return probability;
  }

  /** The share of each cell in its list. The next call overwrites what this one returned: there are millions of calls. */
  sharesOfLists(cells: readonly number[]): readonly number[] {
    const { shares, totals } = this;
    if (shares.length !== cells.length) shares.length = cells.length;
    // One list has all cells.
    if (this.cellsOfList.length === 1) {
      const total = sum(cells);
      for (let cell = 0; cell < cells.length; cell++) shares[cell] = over(cells[cell] ?? 0, total);
      return shares;
    }
    totals.length = this.cellsOfList.length;
    totals.fill(0);
    for (let cell = 0; cell < cells.length; cell++) {
      const list = this.listOf[cell] ?? 0;
      totals[list] = (totals[list] ?? 0) + (cells[cell] ?? 0);
    }
    for (let cell = 0; cell < cells.length; cell++)
      shares[cell] = over(cells[cell] ?? 0, totals[this.listOf[cell] ?? 0] ?? 0);
    return shares;
  }

  private filled(length: number, value: number): number[] {
    return new Array<number>(length).fill(value);
  }
}

type Noise = Pick<ResponseModel, 'keep' | 'outputs'>;

/** The probability of each output of a source that was replaced. */
const uniformPart = ({ keep, outputs }: Noise): number => (1 - keep) / Number(outputs);

export interface Expectation {
  /** For each output, how many of its sources have it as their truth, on average. */
  readonly kept: Counts;
  readonly margins: Margins;
  /** The sum of `kept`. */
  readonly total: number;
  readonly logLikelihood: number;
  /** The sum over outputs of their squared counts over their probabilities. */
  readonly squares: number;
}

function numbered(numbers: Map<string, number>, key: string, first?: () => void): number {
  const known = numbers.get(key);
  if (known !== undefined) return known;
  const number = numbers.size;
  numbers.set(key, number);
  first?.();
  return number;
}

function ordersOf(list: readonly number[]): number {
  const repeats = new Map<number, number>();
  return list.reduce((orders, cell, index) => {
    const repeat = (repeats.get(cell) ?? 0) + 1;
    repeats.set(cell, repeat);
    return (orders * (index + 1)) / repeat;
  }, 1);
}

export function sum(values: readonly number[]): number {
  let total = 0;
  for (let index = 0; index < values.length; index++) total += values[index] ?? 0;
  return total;
}

const over = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);
