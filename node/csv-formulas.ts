/** What makes a spreadsheet run a cell, possibly behind quotes that an earlier escape has put there (OWASP, "CSV Injection"). */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Text of others as a cell that no spreadsheet runs: a quote stands before what looks like a formula. Numbers stay numbers. */
export const withoutFormula = (text: string): string =>
  FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;

/** The text from which `withoutFormula` made a cell. */
export const withFormula = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
