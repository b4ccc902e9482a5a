/**
 * The beginning of a cell that a spreadsheet runs, possibly behind quotes (OWASP, "CSV Injection"). Many spreadsheets separate cells by
 * semicolons or tabs instead of commas, and within such a line the quotes around a cell mean nothing. So a formula can also begin after
 * these.
 */
const BEGINNING = '(?<=^|[;\\t\\r\\n])';
const FORMULA = `(?=['"]*[=+\\-@\\t\\r\\n＝＋－＠])`;

const formulas = new RegExp(BEGINNING + FORMULA, 'g');
const quotedFormulas = new RegExp(`${BEGINNING}'${FORMULA}`, 'g');

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Somebody else's text as a cell that no spreadsheet runs: a quote precedes what looks like a formula. Numbers stay numbers. */
export const withoutFormula = (text: string): string =>
  NUMBER.test(text) ? text : text.replace(formulas, "'");

/** The text from which `withoutFormula` made a cell. */
export const withFormula = (cell: string): string =>
  cell.includes("'") ? cell.replace(quotedFormulas, '') : cell;
