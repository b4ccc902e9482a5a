import { tableFormatOf } from './table-name';

/** What a text is: JSON values as lines or as one list, one value over several lines, or a table with this delimiter. */
export type TextForm =
  | { readonly kind: 'lines' }
  | { readonly kind: 'list' }
  | { readonly kind: 'document' }
  | { readonly kind: 'table'; readonly delimiter: string };

const DELIMITERS = ['\t', ',', ';'];

/** An object, or a list of objects: no names of columns begin so. */
export const OBJECT_BEGINS = /^(\{\s*(["}]|$)|\[\s*([{\]]|$))/;
/** A list of other values, or names of columns in brackets. */
const LIST_BEGINS = /^\[\s*(["\d[-]|true|false|null)/;
/** Tables are not written so. */
const READ_ONLY = /\.(bz2|xz)$/;
const JSON_NAME = /\.(json|jsonl|ndjson)(\.gz|\.zst|\.bz2|\.xz)?$/;

/** What the beginning of a text shows. Only where it shows nothing does the name of the file decide. */
export function formOf(beginning: string, file: string): TextForm {
  const text = beginning.replace(/^\ufeff/, '');
  const format = tableFormatOf(file.replace(READ_ONLY, ''));
  const isTable = format === 'csv' || format === 'tsv';
  const json = text.trimStart();
  const isJson = /^[[{]/.test(json) && (LIST_BEGINS.test(json) || JSON_NAME.test(file));
  if (OBJECT_BEGINS.test(json) || (isJson && !isTable))
    return { kind: json.startsWith('[') ? 'list' : goesOn(json) ? 'document' : 'lines' };
  // Empty lines count for nothing, but an empty first cell does.
  const delimiter = delimiterOf(text.replace(/^[\r\n]+/, ''), format === 'tsv' ? '\t' : ',');
  return isTable || delimiter.isThere ? { kind: 'table', delimiter: delimiter.found } : { kind: 'lines' };
}

/** Whether the first line leaves open what it begins. */
function goesOn(json: string): boolean {
  const end = json.indexOf('\n');
  return end >= 0 && ['{', '[', ','].includes(json.slice(0, end).trimEnd().at(-1) ?? '');
}

/** What separates the cells of the first line: the usual delimiter if it is there. */
export function delimiterOf(
  text: string,
  usual: string,
): { readonly found: string; readonly isThere: boolean } {
  const [line = ''] = text.split(/[\r\n]/, 1);
  const unquoted = line.replace(/"[^"]*"/g, '');
  const found = [usual, ...DELIMITERS].find((one) => unquoted.includes(one));
  return { found: found ?? usual, isThere: found !== undefined };
}
