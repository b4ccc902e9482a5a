import { ROUNDING, weightedBy, type Part, type PartSpread } from './group-spread';
import { sum, type Counts, type Support } from './output-model';
import type { ResponseModel } from '../quantities/response-model';

/**
 * How far the shares of cells among the reports of one group are from those among all reports. Unlike `spreadOf`, it does not count how many reports
 * groups have: if only that differs, the shares are alike. Each distance is in units of its mean by chance.
 */
export function cellSpreadOf(
  support: Support,
  response: ResponseModel,
  parts: readonly Part[],
  shares: readonly number[],
): readonly PartSpread[] {
  const { all, weights, sources } = weightedBy(support, response, parts, shares);
  const pooled = reportsOf(support, weights, all);
  const cells = cellsOf(support, pooled, truthOf(support, weights, shares), response.keep * sources);
  const independent = independentOf(cells);
  return parts.map(({ counts, sources: own }) => {
    const reports = cellReports(support, weights, counts);
    const found = cells.map(({ cell, list, share, variance, between, far }) => {
      const all = reports.ofList[list] ?? 0;
      const chance = variance * all * (1 - all / (pooled.ofList[list] ?? 0));
      // A group without reports shows nothing.
      if (!(chance > ROUNDING)) return { distance: 1, room: 0, wide: 0 };
      const distance = ((reports.ofCell[cell] ?? 0) - share * all) ** 2 / chance;
      return { distance, room: (all * between) / variance, wide: (all * far) / variance };
    });
    return {
      distances: found.map(({ distance }) => distance),
      chance: own * (1 - own / sources) > ROUNDING ? 1 : 0,
      room: sum(found.map(({ room }) => room)),
      wide: sum(found.map(({ wide }) => wide)),
      independent,
      degrees: independent,
    };
  });
}

interface Cell {
  readonly cell: number;
  readonly list: number;
  /** Of the weighted reports of its list. */
  readonly share: number;
  /** Of the distance, for one weighted report. */
  readonly variance: number;
  /** The same of the share if all true reports of a group are in one cell: of a true report, or of any cell. */
  readonly between: number;
  readonly far: number;
}

/** @param kept how many of all sources kept their truth, on average. */
function cellsOf(support: Support, pooled: Reports, truth: Truth, kept: number): readonly Cell[] {
  return support.cellNames.flatMap((_, cell) => {
    const list = support.listOf[cell] ?? 0;
    const reports = pooled.ofList[list] ?? 0;
    const share = (pooled.ofCell[cell] ?? 0) / reports;
    const variance =
      ((pooled.squares[cell] ?? 0) -
        2 * share * (pooled.products[cell] ?? 0) +
        share ** 2 * (pooled.squaresOfList[list] ?? 0)) /
      reports;
    if (!(variance > 1e-15)) return [];
    const scale = (kept * (truth.ofList[list] ?? 0)) / reports;
    const members = support.listOf.flatMap((own, other) => (own === list ? [other] : []));
    const moves = members.map(
      (other) => (other === cell ? (truth.weight[cell] ?? 0) : 0) - share * (truth.weight[other] ?? 0),
    );
    const likely = members.map((other) => (truth.ofCell[other] ?? 0) / (truth.ofList[list] || 1));
    const mean = sum(moves.map((move, at) => move * (likely[at] ?? 0)));
    const squares = moves.map((move) => (scale * (move - mean)) ** 2);
    return [
      {
        cell,
        list,
        share,
        variance,
        between: sum(squares.map((square, at) => square * (likely[at] ?? 0))),
        far: sum(squares) / squares.length,
      },
    ];
  });
}

/** As many cells vary as much together (Satterthwaite 1946), by the correlations of a multinomial distribution. */
function independentOf(cells: readonly Cell[]): number {
  const odds = new Map<number, number[]>();
  for (const { list, share } of cells) odds.set(list, [...(odds.get(list) ?? []), share / (1 - share)]);
  const squares = [...odds.values()].map(
    (own) => own.length + sum(own) ** 2 - sum(own.map((odd) => odd ** 2)),
  );
  return Math.min(Math.max(cells.length ** 2 / sum(squares), 1), Math.max(cells.length, 1));
}

/** Sums over reports, each with the weight of its output. */
interface CellReports {
  readonly ofCell: readonly number[];
  readonly ofList: readonly number[];
}

interface Reports extends CellReports {
  /** Of what an output adds to a cell and to a list, squared, and of both multiplied. */
  readonly squares: readonly number[];
  readonly squaresOfList: readonly number[];
  readonly products: readonly number[];
}

function reportsOf(support: Support, weights: readonly number[], { outputs, counts }: Counts): Reports {
  const cells = support.cellNames.length;
  const [ofCell, squares, products] = [zeros(cells), zeros(cells), zeros(cells)];
  const [ofList, squaresOfList] = [zeros(cells), zeros(cells)];
  outputs.forEach((output, index) => {
    const weight = weights[output] ?? 0;
    const count = counts[index] ?? 0;
    const reports = support.cellsOf[output] ?? [];
    if (weight === 0 || count === 0) return;
    const times = new Map<number, number>();
    const lengths = new Map<number, number>();
    for (const cell of reports) {
      times.set(cell, (times.get(cell) ?? 0) + 1);
      const list = support.listOf[cell] ?? 0;
      lengths.set(list, (lengths.get(list) ?? 0) + 1);
    }
    for (const [cell, own] of times) {
      add(ofCell, cell, count * weight * own);
      add(squares, cell, count * (weight * own) ** 2);
      add(products, cell, count * weight ** 2 * own * (lengths.get(support.listOf[cell] ?? 0) ?? 0));
    }
    for (const [list, length] of lengths) {
      add(ofList, list, count * weight * length);
      add(squaresOfList, list, count * (weight * length) ** 2);
    }
  });
  return { ofCell, ofList, squares, squaresOfList, products };
}

/** There may be thousands of groups, which need no more than that. */
function cellReports(support: Support, weights: readonly number[], { outputs, counts }: Counts): CellReports {
  const cells = support.cellNames.length;
  const [ofCell, ofList] = [zeros(cells), zeros(cells)];
  for (let index = 0; index < outputs.length; index++) {
    const output = outputs[index] ?? 0;
    const weighted = (counts[index] ?? 0) * (weights[output] ?? 0);
    const reports = support.cellsOf[output] ?? [];
    if (weighted === 0) continue;
    for (let place = 0; place < reports.length; place++) {
      const cell = reports[place] ?? 0;
      const list = support.listOf[cell] ?? 0;
      if (reports.indexOf(cell) === place)
        add(ofCell, cell, weighted * timesOf(reports, (own) => own === cell));
      if (reports.findIndex((own) => support.listOf[own] === list) === place)
        add(ofList, list, weighted * timesOf(reports, (own) => support.listOf[own] === list));
    }
  }
  return { ofCell, ofList };
}

function timesOf(reports: readonly number[], is: (cell: number) => boolean): number {
  let times = 0;
  for (const cell of reports) if (is(cell)) times += 1;
  return times;
}

/** What one source has on average as its truth. */
interface Truth {
  readonly ofCell: readonly number[];
  readonly ofList: readonly number[];
  /** The mean weight of the reports of each cell. */
  readonly weight: readonly number[];
}

function truthOf(support: Support, weights: readonly number[], shares: readonly number[]): Truth {
  const cells = support.cellNames.length;
  const [ofCell, ofList, weighted] = [zeros(cells), zeros(cells), zeros(cells)];
  shares.forEach((share, output) => {
    for (const cell of support.cellsOf[output] ?? []) {
      add(ofCell, cell, share);
      add(ofList, support.listOf[cell] ?? 0, share);
      add(weighted, cell, share * (weights[output] ?? 0));
    }
  });
  return {
    ofCell,
    ofList,
    weight: weighted.map((own, cell) => (own === 0 ? 0 : own / (ofCell[cell] ?? 1))),
  };
}

const zeros = (length: number): number[] => new Array<number>(length).fill(0);

function add(to: number[], place: number, more: number): void {
  to[place] = (to[place] ?? 0) + more;
}
