/** The probability with these log odds. */
export const logistic = (odds: number): number => 1 / (1 + Math.exp(-odds));
