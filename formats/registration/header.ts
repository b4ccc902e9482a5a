import { isJsonObject, type Json } from '../../src/model/json';
import { mistake, type Issue } from '../codec/mistakes';
import { refused, type Parsed } from '../codec/issues';
import { readJsonText } from '../codec/json-text';

export const REGISTER_SOURCE = 'Attribution-Reporting-Register-Source';
export const REGISTER_TRIGGER = 'Attribution-Reporting-Register-Trigger';

/**
 * In characters. Chromium reads at most 256 KiB of headers in a response (net/http/http_stream_parser.h). A source with every list full
 * takes 78,000.
 */
export const MAX_HEADER_LENGTH = 128 * 1024;
const KEPT_OF_LONG_HEADER = 1000;

/** A registration from the text of its header. */
export function parseHeader<T>(header: string, parser: (json: Json) => Parsed<T>): Parsed<T> {
  const json = parseJsonHeader(header);
  // JSON.parse returns null for "null" too, which the parser then refuses.
  if (json.errors.length > 0) return { value: null, errors: json.errors, warnings: json.warnings };
  const parsed = parser(json.value);
  if (json.warnings.length === 0) return parsed;
  return { ...parsed, warnings: [...json.warnings, ...parsed.warnings] };
}

/** The JSON of a registration header. A repeated field name is a warning: the later one counts. */
export function parseJsonHeader(text: string): Parsed<Json> {
  if (text.length > MAX_HEADER_LENGTH)
    return refused(mistake('too-long', { length: text.length, max: MAX_HEADER_LENGTH }));
  const notUtf8 = text.search(/\p{Surrogate}/u);
  if (notUtf8 >= 0)
    return refused(mistake('not-utf-8', { column: Array.from(text.slice(0, notUtf8)).length + 1 }));
  const { value, problem, warnings } = readJsonText(text);
  if (problem === null) return { value, errors: [], warnings };
  return refused(isRepeated(text) ? mistake('header-twice') : mistake('not-json', { problem }));
}

/** Whether a response had the header several times: browsers join the lines with commas (RFC 9110, 5.2). */
function isRepeated(text: string): boolean {
  const { value } = readJsonText(`[${text}]`);
  return Array.isArray(value) && value.length > 1 && value.every(isJsonObject);
}

/** The part of a header that the log keeps: all of it, or the beginning of one that is too long to be read. */
export function keptHeader(header: string): { readonly header: string; readonly warnings: readonly Issue[] } {
  const { length } = header;
  if (length <= MAX_HEADER_LENGTH) return { header, warnings: [] };
  const cut = mistake('cut-header', { length, kept: KEPT_OF_LONG_HEADER });
  return { header: header.slice(0, KEPT_OF_LONG_HEADER), warnings: [{ ...cut, path: '' }] };
}
