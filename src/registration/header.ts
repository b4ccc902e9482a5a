import { parseDictionary, Token } from 'structured-headers';
import type { Json } from '../model/json';
import { mistake, type Issue } from '../model/mistakes';
import type { Parsed } from '../parsing/issues';
import { readJsonText } from '../parsing/json-text';

export const ELIGIBLE = 'Attribution-Reporting-Eligible';
export const INFO = 'Attribution-Reporting-Info';
export const REGISTER_SOURCE = 'Attribution-Reporting-Register-Source';
export const REGISTER_TRIGGER = 'Attribution-Reporting-Register-Trigger';

export type EligibleKey = 'event-source' | 'navigation-source' | 'trigger';

const eligibleKeys: readonly EligibleKey[] = ['event-source', 'navigation-source', 'trigger'];

/** ARA, "Attribution-Reporting-Eligible": known keys count; values, parameters and other keys are ignored as grease. */
export function parseEligible(header: string): Parsed<ReadonlySet<EligibleKey>> {
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

/** ARA, "get registration info from a header list"; no header counts as an empty one. */
export function parseInfo(header: string | null): Parsed<RegistrationInfo> {
  return structured(header ?? '', (keys) => {
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
  });
}

function structured<T>(
  header: string,
  read: (keys: ReadonlyMap<string, unknown>) => { value: T; errors: readonly Issue[] },
): Parsed<T> {
  let dictionary;
  try {
    dictionary = parseDictionary(header);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    const found = mistake('not-a-dictionary', { problem });
    return { value: null, errors: [{ ...found, path: '' }], warnings: [] };
  }
  const { value, errors } = read(new Map([...dictionary].map(([key, [item]]) => [key, item])));
  return { value: errors.length === 0 ? value : null, errors, warnings: [] };
}

/** The JSON of a registration header. A repeated field name is a warning: the later one counts. */
export function parseJsonHeader(text: string): Parsed<Json> {
  const { value, problem, repeated } = readJsonText(text);
  if (problem !== null)
    return { value: null, errors: [{ ...mistake('not-json', { problem }), path: '' }], warnings: [] };
  const warnings = repeated.map((path) => ({ ...mistake('repeated-field'), path }));
  return { value, errors: [], warnings };
}
