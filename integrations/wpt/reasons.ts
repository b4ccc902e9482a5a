import type { Variant } from './tests';

/** Tests of what is not attribution reporting, and what they need. They are not counted. */
const NOT_COUNTED = [
  ['fenced-frame-network-revocation', 'fenced frames with an auction, and internals of a test build'],
  ['with-verification', 'private state tokens'],
  ['report-coordinator', 'coordinators that a switch of a test build names'],
] as const;

/** Why a test is not counted; null if it is. */
export const notCounted = ({ file }: Variant): string | null =>
  NOT_COUNTED.find(([part]) => file.includes(part))?.[1] ?? null;

/**
 * Whether the switch `debugReports` is on, which stands for Chromium's cookie `ar_debug`: Cointoss reads no cookies. These variants set a
 * cookie that does not count.
 */
export const hasDebugCookie = ({ query }: Variant): boolean => !/input=(missing_cookie|cookie_)/.test(query);

/**
 * Which host's server is the collector: Cointoss makes aggregatable reports only for a collector. Null: each report goes to its reporting
 * origin, as in the specification. With a collector at the test's reporting origin, its reports arrive where they do in Chromium.
 */
export const collectorHost = ({ file, query }: Variant): string | null =>
  !file.includes('aggregatable')
    ? null
    : query.includes('cross-origin')
      ? 'www1.web-platform.test'
      : 'web-platform.test';

interface Known {
  readonly file: RegExp;
  readonly query?: RegExp;
  readonly message: RegExp;
  readonly reason: string;
}

/** What a subtest that failed says, in which tests, and why that is not Cointoss's to mend: docs/ways.md, "Chromium's own browser tests". */
const KNOWN: readonly Known[] = [
  {
    file: /\/referrer-policy\./,
    message: /expected property "referer" missing/,
    reason: 'no browser tells an extension what the referrer policy allows',
  },
  {
    file: /\/(request-format|support-header)\./,
    // Without `eligible`, Cointoss makes the request itself.
    query: /method=(img|script)&eligible\b/,
    message: /expected property "attribution-reporting-(eligible|support)" missing/,
    reason: 'the browser sends the request of an element before an extension can add the header',
  },
  {
    file: /\/request-format\./,
    query: /method=area\b/,
    message: /element click intercepted error|Timeout polling requests/,
    reason: 'testdriver.js finds no place on the area to click, so there is no request',
  },
  {
    file: /\/trigger-data-sanitization\./,
    query: /method=img/,
    // The newest is first: the trigger came before the source.
    message: /source: \{[^;]*; trigger: \{[^;]*"trigger-no-matching-source"/,
    reason:
      'the test starts the requests of the source and of the trigger at once, and either can be answered first',
  },
];

/** The known reason of a failure; null if there is none. */
export const reasonOf = ({ file, query }: Variant, message: string): string | null =>
  KNOWN.find(
    (known) =>
      known.file.test(file) &&
      known.message.test(message) &&
      (known.query === undefined || known.query.test(query)),
  )?.reason ?? null;
