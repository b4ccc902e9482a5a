import { issuanceRefusals, type IssuanceRefusal } from '../../formats/tokens/issuance';
import { isDataError } from '../store/database';

/** Why the collector refuses a request. The metrics count by these words. */
export const refusalReasons = [
  'not-json',
  'not-utf-8',
  'too-deep',
  'not-a-report',
  'not-a-source-log',
  'not-a-result',
  'report-url',
  'not-storable',
  'too-large',
  'content-type',
  'content-encoding',
  'rate-limit',
  'client-budget',
  'store-full',
  'debug-reports-off',
  'token-missing',
  'token-invalid',
  'token-spent',
  'tokens',
  ...issuanceRefusals,
  'not-http',
  'timeout',
  'other',
] as const;

export type RefusalReason = (typeof refusalReasons)[number];

/** A request that fails because of the sender's mistake, or because the sender may not store more. */
export class Refusal extends Error {
  readonly statusCode: number;

  /** @param path where in the body, or the name of the header. */
  constructor(
    readonly reason: RefusalReason,
    message: string,
    readonly path = '',
  ) {
    super(message);
    this.statusCode = statuses[reason] ?? 400;
  }
}

const statuses: Readonly<Partial<Record<RefusalReason, number>>> = {
  'content-encoding': 415,
  'debug-reports-off': 403,
  'rate-limit': 429,
  'client-budget': 429,
  'store-full': 507,
  'token-missing': 401,
  'token-invalid': 401,
  'token-spent': 401,
  ...(Object.fromEntries(issuanceRefusals.map((reason) => [reason, 403])) as Record<IssuanceRefusal, number>),
};

/** An error with the status that answers it. */
export type SenderError = Error & { readonly statusCode: number };

/** A refusal, or a mistake of the sender that the same request would repeat; null if the error is neither. */
export function senderErrorOf(error: Error & { readonly statusCode?: number }): SenderError | null {
  if (isDataError(error)) return new Refusal('not-storable', `the database refuses it: ${error.message}`);
  if (error instanceof Refusal) return error;
  const { statusCode = 500 } = error;
  return statusCode < 500 ? Object.assign(error, { statusCode }) : null;
}

/** The reason for the metrics. */
export function reasonOf(error: Error & { readonly statusCode?: number }): RefusalReason {
  if (error instanceof Refusal) return error.reason;
  return reasonsByStatus.get(error.statusCode) ?? 'other';
}

const reasonsByStatus: ReadonlyMap<number | undefined, RefusalReason> = new Map([
  [413, 'too-large'],
  [415, 'content-type'],
  [429, 'rate-limit'],
]);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** @throws Refusal when there is no body, or it is not UTF-8. */
export function textOf(body: unknown, what: string): string {
  if (!(body instanceof Uint8Array)) throw new Refusal('not-json', `${what} must not be empty`);
  try {
    return utf8.decode(body);
  } catch {
    throw new Refusal('not-utf-8', `${what} must be UTF-8`);
  }
}
