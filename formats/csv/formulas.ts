/**
 * What makes a spreadsheet run a cell, possibly behind quotes (OWASP, "CSV Injection"). Many spreadsheets separate cells by semicolons or tabs,
 * not by commas; within a line of theirs the quotes around a cell mean nothing. So a formula can begin after these, too.
 */
const BEGINNING = '(?<=^|[;\\t\\r\\n])';
const FORMULA = `(?=['"]*[=+\\-@\\t\\r\\n＝＋－＠])`;

const formulas = new RegExp(BEGINNING + FORMULA, 'g');
const quotedFormulas = new RegExp(`${BEGINNING}'${FORMULA}`, 'g');

const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i;

/** Text of others as a cell that no spreadsheet runs: a quote stands before what looks like a formula. Numbers stay numbers. */
export const withoutFormula = (text: string): string =>
  NUMBER.test(text) ? text : text.replace(formulas, "'");

/** The text from which `withoutFormula` made a cell. */
export const withFormula = (cell: string): string =>
  cell.includes("'") ? cell.replace(quotedFormulas, '') : cell;
