import { WHOLE_WITH_DECIMALS, withoutDecimals } from '../../formats/csv/decimals';
import { ISO_DATE_TIME, momentOf } from '../../formats/codec/time';

/** Returns a row's cell by column name. */
export type Cells = (column: string) => string;

/** A cell whose value is not valid for its column. */
export class CellError extends Error {
  constructor(column: string, expected: string, cell: string) {
    super(`column "${column}": must be ${expected}, was ${JSON.stringify(cell)}`);
  }
}

/** Refuses a gap where a person must be named, as all such rows would be one person. Somebody can have the name `None`. */
export function missing(column: string, what: string, cell: string): CellError {
  const isWritten = cell.trim() !== '';
  const why = ' (programs write this cell for a missing value; write a person of this name in another way)';
  return new CellError(column, `${what}${isWritten ? why : ''}`, cell);
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
  const whole = WHOLE_WITH_DECIMALS.exec(cell)?.[1];
  const isRounded = whole === undefined ? /^-?\d+(\.\d+)?e\+\d+$/i.test(cell) : whole.length > EXACT_DIGITS;
  if (isRounded)
    throw new CellError(
      column,
      'a number with all its digits (write the column as text or integers, not as floating-point numbers)',
      cell,
    );
  return whole ?? cell;
}

/** The other spelling by which maps may name this cell: `True` and `1.0` are also 1, `False` and `0.0` also 0. */
export function spelled(cell: string): string {
  if (cell.length < 3) return cell;
  if (/^true$/i.test(cell)) return '1';
  if (/^false$/i.test(cell)) return '0';
  return withoutDecimals(cell);
}

/**
 * The time of a cell in ISO 8601, in milliseconds since 1970; null if it is something else. As programs write it: without a zone it is UTC, and there
 * may be a space before the time of day.
 * @throws CellError for a date or a time of day that does not exist
 */
export function dateIn(column: string, cell: string): number | null {
  const [, day, clock = 'T00:00', zone = 'Z'] = ISO_DATE_TIME.exec(cell) ?? [];
  if (day === undefined) return null;
  const time = momentOf(`${day}${clock.replace(' ', 'T')}${zone}`);
  if (time === null) throw new CellError(column, 'a date and time that exist', cell);
  return time;
}
