import { parseDictionary, Token } from 'structured-headers';
import { mistake, type Issue } from '../formats/codec/mistakes';
import { refused, type Parsed } from '../formats/codec/issues';

export const ELIGIBLE = 'Attribution-Reporting-Eligible';
export const INFO = 'Attribution-Reporting-Info';

export type EligibleKey = 'event-source' | 'navigation-source' | 'trigger';

/** Parsing takes microseconds for each character. RFC 9651 asks for 1,024 members. */
const MAX_STRUCTURED_LENGTH = 8 * 1024;

const eligibleKeys: readonly EligibleKey[] = ['event-source', 'navigation-source', 'trigger'];

/** ARA, "Attribution-Reporting-Eligible": known keys count; values, parameters and other keys are ignored as grease. */
export function parseEligible(header: string): Parsed<ReadonlySet<EligibleKey>> {
  // Almost every header is one bare key, and the parser takes longer than the rest of the line of a log.
  const only = eligibleKeys.find((key) => key === header);
  if (only !== undefined) return { value: new Set([only]), errors: [], warnings: [] };
  return structured(header, (keys) => ({
    value: new Set(eligibleKeys.filter((key) => keys.has(key))),
    errors: [],
  }));
}

/** ARA, "registration info". */
export interface RegistrationInfo {
  readonly preferredPlatform: 'web' | 'os' | null;
  readonly reportHeaderErrors: boolean;
}

/** As of an empty header. */
const NO_INFO: Parsed<RegistrationInfo> = {
  value: { preferredPlatform: null, reportHeaderErrors: false },
  errors: [],
  warnings: [],
};

/** ARA, "get registration info from a header list"; no header counts as an empty one. */
export const parseInfo = (header: string | null): Parsed<RegistrationInfo> =>
  header === null ? NO_INFO : structured(header, infoIn);

function infoIn(keys: ReadonlyMap<string, unknown>): Pick<Parsed<RegistrationInfo>, 'errors'> & {
  readonly value: RegistrationInfo;
} {
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
}

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
