import type { Json } from '../../../src/model/json';
import { readJsonText } from '../../../src/parsing/json-text';
import { originOfUrl } from '../../../src/parsing/origin';
import { endAnswer, textWithin } from '../../answer-body';
import { t } from '../../i18n';
import { words } from '../../words';

const TIMEOUT = 20_000;
/** In characters: far more than a trial's texts and rules need. */
const MAX_LENGTH = 500_000;
/** In bytes: a character has at most three. */
export const LARGEST_TRIAL = 3 * MAX_LENGTH;

/** The trial's address that the background put into the fragment; empty if none. */
export const linkOfPage = (): string => new URLSearchParams(location.hash.slice(1)).get('link') ?? '';

/** @throws Error with a message for the person when there is no JSON at that address */
export async function fetchTrial(link: string): Promise<Json> {
  if (originOfUrl(link) === null) throw new Error(t('trial_link_invalid'));
  const response = await fetch(link, {
    credentials: 'omit',
    cache: 'no-store',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(TIMEOUT),
  });
  // A redirect may have left https.
  if (originOfUrl(response.url) === null) throw new Error(t('trial_link_invalid'));
  if (!response.ok) {
    await endAnswer(response);
    throw new Error(t('trial_link_status', { status: response.status }));
  }
  const text = await textWithin(response, LARGEST_TRIAL);
  if (text === null) throw tooLong();
  return parseTrialText(text);
}

const tooLong = (): Error => new Error(t('trial_too_long', { count: MAX_LENGTH }));

/** @throws Error with a message for the person when the text is not JSON */
export function parseTrialText(text: string): Json {
  if (text.length > MAX_LENGTH) throw tooLong();
  const { value, problem } = readJsonText(text);
  if (problem !== null) throw new Error(t('trial_no_json', { problem: words.mistakeText(problem) }));
  return value;
}
