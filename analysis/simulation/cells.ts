/** Returns a row's cell by column name. */
export type Cells = (column: string) => string;

/** A cell whose value is not valid for its column. */
export class CellError extends Error {
  constructor(column: string, expected: string, cell: string) {
    super(`column "${column}": must be ${expected}, was ${JSON.stringify(cell)}`);
  }
}

/** A double holds all digits of whole numbers up to this many. */
const EXACT_DIGITS = 15;

/**
 * The cell without the decimals that pandas writes for whole numbers of a column with gaps: `300.0` is 300.
 * @throws CellError for a number that has lost digits on its way through a floating-point number
 */
export function plainCell(column: string, cell: string): string {
  // Most cells have neither decimals nor an exponent.
  if (!cell.includes('.') && !cell.includes('+')) return cell;
  const whole = /^(-?\d+)\.0+$/.exec(cell)?.[1];
  const isRounded = whole === undefined ? /^-?\d+(\.\d+)?e\+\d+$/i.test(cell) : whole.length > EXACT_DIGITS;
  if (isRounded)
    throw new CellError(
      column,
      'a number with all its digits (write the column as text or integers, not as floating-point numbers)',
      cell,
    );
  return whole ?? cell;
}

/** How a cell may also be written that a map calls 1 or 0. */
export function spelled(cell: string): string {
  if (cell.length < 3) return cell;
  if (/^true$/i.test(cell)) return '1';
  if (/^false$/i.test(cell)) return '0';
  return /^-?\d+\.0+$/.test(cell) ? cell.slice(0, cell.indexOf('.')) : cell;
}
