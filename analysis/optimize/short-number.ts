/** Four significant digits. */
export const shortNumber = (value: number): string => String(Number(value.toPrecision(4)));
