/** As pandas writes whole numbers in a column with gaps. */
export const WHOLE_WITH_DECIMALS = /^(-?\d+)\.0+$/;

/** `300.0` is 300. */
export const withoutDecimals = (cell: string): string => cell.replace(WHOLE_WITH_DECIMALS, '$1');
