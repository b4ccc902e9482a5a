/** A number with four significant digits, for people. */
export const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));
