import { eligibleHeader } from '../../../recording/eligibility';
import { ELIGIBLE } from '../../../recording/structured-headers';
import type { Eligibility } from '../../../recording/eligibility';
import { markOf } from '../../eligibility-mark';

/** A rule for the browser. */
export interface SessionRule {
  readonly id: number;
  readonly action:
    | { readonly type: 'block' }
    | {
        readonly type: 'modifyHeaders';
        readonly requestHeaders: readonly {
          readonly header: string;
          readonly operation: 'set';
          readonly value: string;
        }[];
      };
  readonly condition: {
    readonly urlFilter?: string;
    readonly regexFilter?: string;
    readonly isUrlFilterCaseSensitive?: boolean;
    readonly responseHeaders?: readonly { readonly header: string; readonly values: readonly string[] }[];
    readonly resourceTypes: readonly string[];
    readonly tabIds?: readonly number[];
    readonly requestDomains?: readonly string[];
    readonly initiatorDomains?: readonly string[];
    readonly excludedInitiatorDomains?: readonly string[];
  };
}

/** As the browser tells it. */
export interface SetRule {
  readonly id: number;
  readonly condition: { readonly excludedInitiatorDomains?: readonly string[] | null };
}

const marks = ['event-source', 'trigger', 'event-source-or-trigger'] as const;
/** The greatest id of the rules for marks. Those of single requests have greater ones. */
export const LAST_MARK_RULE = 2 * marks.length + 1;
/** Hosts that browsers trust without https. Their subdomains count, too. */
const trustedHosts = ['localhost', '127.0.0.1'];
/** Browsers omit tabs when they read a URL. */
const forgeries = ['*#*attribution-reporting=*', '*#*\t*'];

export const headersFor = (
  eligibility: Eligibility,
): readonly { readonly name: string; readonly value: string }[] => [
  { name: ELIGIBLE, value: eligibleHeader(eligibility) ?? '' },
  { name: 'Attribution-Reporting-Support', value: 'web' },
];

/** The condition that a request is for this URL. In other filters, the stars of a URL would match anything. */
export const onlyAt = (url: string): Pick<SessionRule['condition'], 'urlFilter' | 'regexFilter'> =>
  url.includes('*') ? { regexFilter: `^${escapedRegExp(url)}$` } : { urlFilter: `|${url}|` };

/** The condition that a URL may register (src/model/origin.ts), whatever it is. */
export const atAnyTrusted = {
  regexFilter: String.raw`^(https://|http://([^/@]*\.)?localhost\.?[:/]|http://127(\.\d+){3}[:/]|http://\[::1\][:/])`,
};

const escapedRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * Rules that set the header on requests that scripts mark.
 * @param exceptions hosts whose documents get none
 * @param readsResponses whether the browser's rules can depend on a response's headers
 */
export function markRules(exceptions: readonly string[], readsResponses: boolean): readonly SessionRule[] {
  const scope = {
    resourceTypes: ['xmlhttprequest'],
    ...(exceptions.length === 0 ? {} : { excludedInitiatorDomains: exceptions }),
  };
  // One rule for https and one for trusted hosts: nobody else may get the header.
  const rules = marks.flatMap((mark, index) =>
    [
      { urlFilter: `|https:*${markOf(mark)}|` },
      { urlFilter: `|http:*${markOf(mark)}|`, requestDomains: trustedHosts },
    ].map((at, variant) =>
      ruleFor(2 * index + variant + 1, mark, { ...at, isUrlFilterCaseSensitive: true, ...scope }),
    ),
  );
  if (!readsResponses) return rules;
  // A rule cannot verify a seal. So a redirect into a mark is not followed, and no server can make the browser send the header.
  const responseHeaders = [{ header: 'location', values: forgeries }];
  return [
    ...rules,
    { id: LAST_MARK_RULE, action: { type: 'block' }, condition: { responseHeaders, ...scope } },
  ];
}

export const excludes = ({ condition }: SetRule, domains: readonly string[]): boolean =>
  [...(condition.excludedInitiatorDomains ?? [])].sort().join(' ') === [...domains].sort().join(' ');

export const ruleFor = (
  id: number,
  eligibility: Eligibility,
  condition: SessionRule['condition'],
): SessionRule => ({
  id,
  action: {
    type: 'modifyHeaders',
    requestHeaders: headersFor(eligibility).map(({ name: header, value }) => ({
      header,
      operation: 'set',
      value,
    })),
  },
  condition,
});
