import { stripComments } from 'jsonc-parser';
import { hasLongBlank, readJsonText, type JsonText } from './json-text';

/**
 * Reads a file of JSON that people write: with `//` comments, and with a byte order mark, with which Windows' editors and PowerShell begin files,
 * but JSON does not (RFC 8259, 8.1).
 */
export function readCommentedJson(file: string): JsonText {
  const text = file.replace(/^\ufeff/, '');
  // Such a text is refused; searching it for comments needs as much memory as reading it.
  return readJsonText(hasLongBlank(text) ? text : stripComments(text, ' '));
}
