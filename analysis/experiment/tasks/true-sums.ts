import type { FeatureCell, TaskInput } from './task';

/** For each column, what the cells with each of its values have together. @param of a cell */
export const sumsOfCells = (
  { cells, sums }: Pick<TaskInput, 'cells' | 'sums'>,
  of: (cell: FeatureCell) => number,
): TaskInput['sums'] =>
  sums.map((_, column) => {
    const byValue = new Map<string, number>();
    for (const cell of cells) {
      const value = cell.values[column] ?? '';
      byValue.set(value, (byValue.get(value) ?? 0) + of(cell));
    }
    return byValue;
  });

export const sumsOfTruth = (input: TaskInput): TaskInput['sums'] => sumsOfCells(input, ({ truth }) => truth);
