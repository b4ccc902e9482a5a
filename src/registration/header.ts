import { parseDictionary, Token } from 'structured-headers';
import type { Json } from '../model/json';
import { mistake, type Issue, type Mistake } from '../model/mistakes';
import { rememberedByText } from '../model/remembered';
import type { Parsed } from '../parsing/issues';
import { readJsonText } from '../parsing/json-text';

export const ELIGIBLE = 'Attribution-Reporting-Eligible';
export const INFO = 'Attribution-Reporting-Info';
export const REGISTER_SOURCE = 'Attribution-Reporting-Register-Source';
export const REGISTER_TRIGGER = 'Attribution-Reporting-Register-Trigger';

export type EligibleKey = 'event-source' | 'navigation-source' | 'trigger';

/**
 * In characters. Chromium reads at most 256 KiB of headers in a response (net/http/http_stream_parser.h). A source with every list full
 * takes 78,000.
 */
export const MAX_HEADER_LENGTH = 128 * 1024;
const KEPT_OF_LONG_HEADER = 1000;
/** Parsing takes microseconds for each character. RFC 9651 asks for 1,024 members. */
const MAX_STRUCTURED_LENGTH = 8 * 1024;

const eligibleKeys: readonly EligibleKey[] = ['event-source', 'navigation-source', 'trigger'];

/** ARA, "Attribution-Reporting-Eligible": known keys count; values, parameters and other keys are ignored as grease. */
export const parseEligible = rememberedByText((header: string): Parsed<ReadonlySet<EligibleKey>> =>
  structured(header, (keys) => ({
    value: new Set(eligibleKeys.filter((key) => keys.has(key))),
    errors: [],
  })),
);

/** ARA, "registration info". */
export interface RegistrationInfo {
  readonly preferredPlatform: 'web' | 'os' | null;
  readonly reportHeaderErrors: boolean;
}

/** ARA, "get registration info from a header list"; no header counts as an empty one. */
export const parseInfo = (header: string | null): Parsed<RegistrationInfo> => infoOf(header ?? '');

const infoOf = rememberedByText((header: string): Parsed<RegistrationInfo> =>
  structured(header, (keys) => {
    const platform = keys.get('preferred-platform');
    const name = platform instanceof Token ? platform.toString() : null;
    const errors: Issue[] = [];
    if (platform !== undefined && name !== 'web' && name !== 'os') {
      errors.push({ ...mistake('not-a-platform'), path: 'preferred-platform' });
    }
    const reportHeaderErrors = keys.get('report-header-errors') ?? false;
    if (typeof reportHeaderErrors !== 'boolean') {
      errors.push({ ...mistake('not-a-flag'), path: 'report-header-errors' });
    }
    return {
      value: {
        preferredPlatform: name === 'os' ? 'os' : name === 'web' ? 'web' : null,
        reportHeaderErrors: reportHeaderErrors === true,
      },
      errors,
    };
  }),
);

function structured<T>(
  header: string,
  read: (keys: ReadonlyMap<string, unknown>) => { value: T; errors: readonly Issue[] },
): Parsed<T> {
  if (header.length > MAX_STRUCTURED_LENGTH)
    return refused(mistake('too-long', { length: header.length, max: MAX_STRUCTURED_LENGTH }));
  let dictionary;
  try {
    dictionary = parseDictionary(header);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return refused(mistake('not-a-dictionary', { problem }));
  }
  const { value, errors } = read(new Map([...dictionary].map(([key, [item]]) => [key, item])));
  return { value: errors.length === 0 ? value : null, errors, warnings: [] };
}

/** A registration from the text of its header. */
export function parseHeader<T>(header: string, parser: (json: Json) => Parsed<T>): Parsed<T> {
  const json = parseJsonHeader(header);
  // JSON.parse gives null for "null" too, which the parser then refuses.
  if (json.errors.length > 0) return { value: null, errors: json.errors, warnings: json.warnings };
  const parsed = parser(json.value);
  if (json.warnings.length === 0) return parsed;
  return { ...parsed, warnings: [...json.warnings, ...parsed.warnings] };
}

/** The JSON of a registration header. A repeated field name is a warning: the later one counts. */
export function parseJsonHeader(text: string): Parsed<Json> {
  if (text.length > MAX_HEADER_LENGTH)
    return refused(mistake('too-long', { length: text.length, max: MAX_HEADER_LENGTH }));
  const { value, problem, warnings } = readJsonText(text);
  return problem === null ? { value, errors: [], warnings } : refused(mistake('not-json', { problem }));
}

const refused = (found: Mistake): Parsed<never> => ({
  value: null,
  errors: [{ ...found, path: '' }],
  warnings: [],
});

/** What the log keeps of a header: all, or the beginning of one that is too long to be read. */
export function keptHeader(header: string): { readonly header: string; readonly warnings: readonly Issue[] } {
  const { length } = header;
  if (length <= MAX_HEADER_LENGTH) return { header, warnings: [] };
  const cut = mistake('cut-header', { length, kept: KEPT_OF_LONG_HEADER });
  return { header: header.slice(0, KEPT_OF_LONG_HEADER), warnings: [{ ...cut, path: '' }] };
}
