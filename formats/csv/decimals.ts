/** As pandas writes whole numbers in a column with gaps. */
export const WHOLE_WITH_DECIMALS = /^(-?\d+)\.0+$/;

/** `300.0` is 300. Few cells end so, and to look for the rest takes longer. */
export const withoutDecimals = (cell: string): string =>
  cell.endsWith('0') ? cell.replace(WHOLE_WITH_DECIMALS, '$1') : cell;
