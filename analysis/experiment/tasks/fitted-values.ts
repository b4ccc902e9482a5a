import { factorise, solveFactored, zeros } from '../../../numeric/vectors';
import { balancedSums } from './balanced-sums';
import type { FeatureCell, TaskInput } from './task';

/** What the prior of a weight is worth, in sources. */
const PULL = 1;

/**
 * Fits a linear regression to sums of values, which are all that least squares need: a weight for each value of each column, and an intercept. All
 * weights but the intercept are pulled towards 0, as by one source without a value, so that noise in a small group cannot move its weight far.
 * @param sums may be noisy: `balancedSums` limits them to what sources can be worth.
 * @param most that a source counts
 * @returns what a source of each cell is worth.
 */
export function fittedValues(
  cells: readonly FeatureCell[],
  sums: TaskInput['sums'],
  most: number,
): readonly number[] {
  const columns = sums.map((given, column) => {
    const sources = new Map<string, number>();
    for (const { values, sources: count } of cells) {
      const value = values[column] ?? '';
      sources.set(value, (sources.get(value) ?? 0) + count);
    }
    return [...sources].map(([value, count]) => ({
      value,
      most: most * count,
      sum: given.get(value) ?? 0,
    }));
  });
  const balanced = balancedSums(columns, { least: 0, most: Infinity });
  const target = [balanced.whole];
  const placeOf = columns.map(
    (column, index) =>
      new Map(column.map(({ value }, place) => [value, target.push(balanced.sums[index]?.[place] ?? 0) - 1])),
  );
  const places = cells.map(({ values }) => [
    0,
    ...placeOf.map((byValue, column) => byValue.get(values[column] ?? '') ?? 0),
  ]);
  const squares = target.map((_, place) => {
    const row = zeros(place + 1);
    row[place] = place === 0 ? 0 : PULL;
    return row;
  });
  cells.forEach(({ sources }, cell) => {
    for (const place of places[cell] ?? [])
      for (const other of places[cell] ?? []) {
        const row = squares[place];
        if (row !== undefined && other <= place) row[other] = (row[other] ?? 0) + sources;
      }
  });
  const weights = Float64Array.from(target);
  factorise(squares);
  solveFactored(squares, weights);
  return places.map((ofCell) => {
    const fitted = ofCell.reduce((sum, place) => sum + (weights[place] ?? 0), 0);
    return Math.min(Math.max(fitted, 0), most);
  });
}
