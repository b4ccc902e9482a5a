export const MOST_DECIMALS = 12;

/**
 * How many digits after the point a number needs: so many that its interval has `digits` significant ones, and without an interval (or with
 * one of no width) the number itself. More would be noise, and fewer would hide what is known.
 */
export function decimalsOf(
  value: number,
  [low = NaN, high = NaN]: readonly (number | null)[] = [],
  digits = 2,
): number {
  const width = (high ?? NaN) - (low ?? NaN);
  const scale = width > 0 && width < Infinity ? width : Math.abs(value);
  if (!(scale > 0 && scale < Infinity)) return 0;
  return Math.min(MOST_DECIMALS, Math.max(0, digits - 1 - Math.floor(Math.log10(scale))));
}
