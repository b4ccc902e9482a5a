import { visit } from 'jsonc-parser';
import { parseDictionary, Token } from 'structured-headers';
import type { Json } from '../model/json';
import type { Issue, Parsed } from './issues';

/** The request header that says which registrations a response may make. */
export const ELIGIBLE = 'Attribution-Reporting-Eligible';
export const INFO = 'Attribution-Reporting-Info';
export const REGISTER_SOURCE = 'Attribution-Reporting-Register-Source';
export const REGISTER_TRIGGER = 'Attribution-Reporting-Register-Trigger';

export type EligibleKey = 'event-source' | 'navigation-source' | 'trigger';

const eligibleKeys: readonly EligibleKey[] = ['event-source', 'navigation-source', 'trigger'];

/** ARA, "Attribution-Reporting-Eligible": only the keys count; values, parameters and other keys are grease. */
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

/** ARA, "get registration info from a header list"; no header is the same as an empty one. */
export function parseInfo(header: string | null): Parsed<RegistrationInfo> {
  return structured(header ?? '', (keys) => {
    const platform = keys.get('preferred-platform');
    const name = platform instanceof Token ? platform.toString() : null;
    const errors: Issue[] = [];
    if (platform !== undefined && name !== 'web' && name !== 'os') {
      errors.push({ path: 'preferred-platform', message: 'must be the token web or os' });
    }
    const reportHeaderErrors = keys.get('report-header-errors') ?? false;
    if (typeof reportHeaderErrors !== 'boolean') {
      errors.push({ path: 'report-header-errors', message: 'must be a boolean (?1 or ?0)' });
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
    const message = `must be a structured dictionary: ${error instanceof Error ? error.message : String(error)}`;
    return { value: null, errors: [{ path: '', message }], warnings: [] };
  }
  const { value, errors } = read(new Map([...dictionary].map(([key, [item]]) => [key, item])));
  return { value: errors.length === 0 ? value : null, errors, warnings: [] };
}

/** The JSON of a registration header. Two fields of one name are a warning: the later one counts. */
export function parseJsonHeader(text: string): Parsed<Json> {
  try {
    const value = JSON.parse(text) as Json;
    return { value, errors: [], warnings: checkFields(text) };
  } catch (error) {
    const message = `must be JSON: ${error instanceof Error ? error.message : String(error)}`;
    return { value: null, errors: [{ path: '', message }], warnings: [] };
  }
}

/** As Chromium's JSON reader has it; what is deeper would overflow the stack of whoever walks it. */
const MAX_DEPTH = 200;

/** Warns of fields that are given twice. Throws when the text is nested too deep. */
function checkFields(text: string): Issue[] {
  const issues: Issue[] = [];
  const seen: Set<string>[] = [];
  const enter = (): void => {
    if (seen.push(new Set()) > MAX_DEPTH) throw new RangeError(`nested more than ${MAX_DEPTH} levels deep`);
  };
  const leave = (): void => void seen.pop();
  visit(text, {
    onObjectBegin: enter,
    onObjectEnd: leave,
    onArrayBegin: enter,
    onArrayEnd: leave,
    onObjectProperty: (name, _offset, _length, _line, _column, pathSupplier) => {
      const names = seen.at(-1);
      if (names?.has(name) === true) {
        issues.push({
          path: pathOf([...pathSupplier(), name]),
          message: 'is given twice; the later one counts',
        });
      }
      names?.add(name);
    },
  });
  return issues;
}

/** As `Place` writes paths: `event_trigger_data[0].priority`. */
const pathOf = (segments: readonly (string | number)[]): string =>
  segments.reduce<string>((path, segment) => {
    if (typeof segment === 'number') return `${path}[${segment}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
