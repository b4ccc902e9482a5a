import { parse } from '../../../formats/codec/issues';
import { readJsonText } from '../../../formats/codec/json-text';
import { isJsonObject, type JsonObject } from '../../../src/model/json';
import {
  issuanceRefusals,
  tokenBatchAnswer,
  tokenBatchRequest,
  TOKENS_PATH,
  type IssuanceRefusal,
  type TokenBatchRequest,
} from '../../../formats/tokens/issuance';
import { textWithin } from '../../answer-body';
import { t, type MessageName } from '../../i18n';

/** In ms: a collector signs five hundred tokens in about a second. */
const TIMEOUT = 60_000;
/** In bytes: five hundred signatures. */
const MAX_LENGTH = 200_000;
const MAX_ERROR = 300;

/**
 * Gets blinded tokens signed.
 * @throws Error with a message for the person
 */
export async function askForSignatures(
  collector: string,
  request: TokenBatchRequest,
): Promise<readonly string[]> {
  const { ok, status, text } = await post(collector + TOKENS_PATH, tokenBatchRequest.write(request));
  const json = readJsonText(text ?? '').value;
  if (!ok) throw new Error(refusalText(status, isJsonObject(json) ? json : {}));
  const { value } = parse(json, tokenBatchAnswer);
  if (value === null) throw new Error(t('tokens_not_valid'));
  return value.signatures;
}

const known: Readonly<Record<IssuanceRefusal, MessageName>> = {
  'invitation-unknown': 'tokens_invitation_unknown',
  'invitation-used': 'tokens_invitation_used',
  'invitation-withdrawn': 'tokens_invitation_withdrawn',
  'tokens-issued': 'tokens_issued',
};

/** In the person's language if the collector names a reason that we know, else in its own words. */
function refusalText(status: number, { reason, error }: JsonObject): string {
  const id = issuanceRefusals.find((one) => one === reason);
  if (id !== undefined) return t(known[id]);
  return t('tokens_refused', { status, error: typeof error === 'string' ? error.slice(0, MAX_ERROR) : '' });
}

async function post(
  url: string,
  body: unknown,
): Promise<{ readonly ok: boolean; readonly status: number; readonly text: string | null }> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
    });
    return { ok: response.ok, status: response.status, text: await textWithin(response, MAX_LENGTH) };
  } catch (error) {
    throw new Error(t('tokens_no_answer', { error: String(error) }), { cause: error });
  }
}
