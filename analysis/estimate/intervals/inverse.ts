import { greatest } from '../../../numeric/extremes';

/** A pivot below this share of the largest number counts as zero: the rows are dependent. */
const NEGLIGIBLE = 1e-11;

/**
 * The right inverse W of a transition matrix M (M·W = 1) with the least noise when labels are equally likely: W = D⁻¹Mᵀ(M·D⁻¹·Mᵀ)⁻¹, where
 * D holds the output probabilities in that case. For a square matrix it is the inverse.
 * @param rows for each label, the probability of each output.
 * @returns for each output its weight for each label; null when two distributions of labels give the same outputs.
 */
export function rightInverse(rows: readonly (readonly number[])[]): readonly (readonly number[])[] | null {
  const outputs = rows[0]?.length ?? 0;
  const likelihood = Array.from({ length: outputs }, (_, output) =>
    rows.reduce((sum, row) => sum + (row[output] ?? 0) / rows.length, 0),
  );
  const scaled = rows.map((row) => row.map((chance, output) => over(chance, likelihood[output] ?? 0)));
  const products = rows.map((row) =>
    scaled.map((other) => row.reduce((sum, chance, output) => sum + chance * (other[output] ?? 0), 0)),
  );
  const inverse = inverted(products);
  if (inverse === null) return null;
  return Array.from({ length: outputs }, (_, output) =>
    rows.map((_, label) =>
      scaled.reduce((sum, row, other) => sum + (row[output] ?? 0) * (inverse[other]?.[label] ?? 0), 0),
    ),
  );
}

const over = (a: number, b: number): number => (b === 0 ? 0 : a / b);

/** Gauss–Jordan elimination with partial pivoting; null for a singular matrix. */
function inverted(matrix: readonly (readonly number[])[]): readonly (readonly number[])[] | null {
  const size = matrix.length;
  const work = matrix.map((row, index) => [...row, ...row.map((_, column) => (column === index ? 1 : 0))]);
  const largest = greatest(matrix.flat().map(Math.abs));
  for (let column = 0; column < size; column++) {
    const below = work.slice(column).map((row) => Math.abs(row[column] ?? 0));
    const pivotIndex = column + below.indexOf(greatest(below));
    const pivotRow = work[pivotIndex] ?? [];
    const pivot = pivotRow[column] ?? 0;
    if (Math.abs(pivot) <= NEGLIGIBLE * largest) return null;
    work[pivotIndex] = work[column] ?? [];
    const normal = pivotRow.map((entry) => entry / pivot);
    work[column] = normal;
    for (const [index, row] of work.entries()) {
      const factor = row[column] ?? 0;
      if (index !== column && factor !== 0)
        work[index] = row.map((entry, position) => entry - factor * (normal[position] ?? 0));
    }
  }
  return work.map((row) => row.slice(size));
}
