import { toBase64Url } from '../../../formats/codec/base64-url';
import { RECEIPT_HEADER, receiptOf } from '../../../formats/tokens/receipt';
import type { Json } from '../../../src/model/json';
import type { DeliveryOutcome, Report } from '../../../src/model/records';
import { endAnswer } from '../../answer-body';
import { t } from '../../i18n';
import { addressOf } from '../../recipient';

/** A try to send a report. */
export interface Attempt {
  readonly outcome: DeliveryOutcome;
  readonly timedOut: boolean;
  /** The body, if the request with it was made. */
  readonly sent?: Json;
}

/**
 * ARA, "create a report request": no credentials, no cache, no referrer.
 * @param authorization the report's token. A collector that takes tokens proves that it has the report; any other server does by its status.
 */
export async function postReport(
  report: Report,
  body: Json,
  authorization: string | null,
  signal: AbortSignal,
  timeout: AbortSignal,
): Promise<Attempt> {
  const to = addressOf(report);
  const text = JSON.stringify(body);
  try {
    const answer = await fetch(to, {
      method: 'POST',
      headers: headersOf(report, to, authorization),
      body: text,
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      // Followed, a redirect would take the report to a server that nobody configured.
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    // The status decides. Not awaited, so that the try is recorded at once: the browser may stop the background meanwhile.
    void endAnswer(answer);
    const problem = await problemOf(answer, text, authorization !== null);
    return problem === null
      ? { outcome: { kind: 'answered', status: answer.status, to }, timedOut: false, sent: body }
      : { ...failed(to, new Error(problem), timeout), sent: body };
  } catch (error) {
    return { ...failed(to, error, timeout), sent: body };
  }
}

export const failed = (to: string, error: unknown, timeout: AbortSignal): Attempt => ({
  outcome: { kind: 'unreachable', to, error: error instanceof Error ? error.message : String(error) },
  timedOut: timeout.aborted,
});

function headersOf({ url }: Report, to: string, authorization: string | null): Headers {
  const headers = new Headers({ 'Content-Type': 'application/json' });
  if (to !== url) headers.set('Cointoss-Report-Url', url);
  if (authorization !== null) headers.set('Authorization', authorization);
  return headers;
}

/** Why the answer is not one of the report's addressee; null if it is. */
async function problemOf(answer: Response, sent: string, isCollector: boolean): Promise<string | null> {
  if (answer.type === 'opaqueredirect') return t('delivery_redirect');
  if (!isCollector || !answer.ok) return null;
  const receipt = toBase64Url(await receiptOf(sent));
  return answer.headers.get(RECEIPT_HEADER) === receipt
    ? null
    : t('delivery_not_collector', { status: answer.status });
}
