const MOST_DIGITS = 12;

/**
 * The ends of an interval as texts, with enough digits to distinguish them.
 * @param show formats with so many significant digits, or with null like any other number
 */
export function intervalEnds(
  low: number,
  high: number,
  show: (value: number, digits: number | null) => string,
): readonly [low: string, high: string] {
  let ends = [show(low, null), show(high, null)] as const;
  for (let digits = 2; ends[0] === ends[1] && low !== high && digits <= MOST_DIGITS; digits++)
    ends = [show(low, digits), show(high, digits)];
  return ends;
}
