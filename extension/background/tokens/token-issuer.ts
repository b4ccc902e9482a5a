import { parse } from '../../../formats/codec/issues';
import { readJsonText } from '../../../formats/codec/json-text';
import { isJsonObject } from '../../../src/model/json';
import {
  tokenBatchAnswer,
  tokenBatchRequest,
  TOKENS_PATH,
  type TokenBatchRequest,
} from '../../../formats/tokens/issuance';
import { textWithin } from '../../answer-body';
import { t } from '../../i18n';

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
  if (!ok) {
    const said = isJsonObject(json) ? json['error'] : null;
    const error = typeof said === 'string' ? said.slice(0, MAX_ERROR) : '';
    throw new Error(t('tokens_refused', { status, error }));
  }
  const { value } = parse(json, tokenBatchAnswer);
  if (value === null) throw new Error(t('tokens_not_valid'));
  return value.signatures;
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
