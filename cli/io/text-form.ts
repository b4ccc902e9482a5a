import { tableFormatOf } from './table-file';

/** What a text is: JSON values as lines or as one list, or a table with this delimiter. */
export type TextForm =
  | { readonly kind: 'lines' }
  | { readonly kind: 'list' }
  | { readonly kind: 'table'; readonly delimiter: string };

const DELIMITERS = ['\t', ',', ';'];

/** What the beginning of a text shows. Only where it shows nothing does the name of the file decide. */
export function formOf(beginning: string, file: string): TextForm {
  const text = beginning.replace(/^\ufeff/, '').trimStart();
  if (text.startsWith('[')) return { kind: 'list' };
  if (text.startsWith('{')) return { kind: 'lines' };
  const format = tableFormatOf(file);
  const delimiter = delimiterOf(text, format === 'tsv' ? '\t' : ',');
  return format === 'csv' || format === 'tsv' || delimiter.isThere
    ? { kind: 'table', delimiter: delimiter.found }
    : { kind: 'lines' };
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
