import type { Json } from '../../../src/model/json';
import { isLoopback, parseUrl } from '../../../src/model/origin';
import { endAnswer, textWithin } from '../../answer-body';
import { t } from '../../i18n';
import { LARGEST_TRIAL, parseTrialText, tooLong } from '../../trial-text';
import { fetchFrom, type AddressSpace } from '../state/address-space';

/** In ms. */
const TIMEOUT = 20_000;

/**
 * Gets a trial's configuration from an address that a page named. It must be on the internet and served over https, because the page must
 * not lead the request to the device or into a private network: no redirect is followed.
 * @param rehearsal whether a server on this device may be asked, too
 * @throws Error with a message for the person when there is no JSON at that address
 */
export async function fetchTrial(link: string, rehearsal: boolean): Promise<Json> {
  const url = parseUrl(link);
  const isRehearsed = rehearsal && url !== null && isLoopback(url.hostname) && /^https?:$/.test(url.protocol);
  if (url === null || (url.protocol !== 'https:' && !isRehearsed)) throw new Error(t('trial_link_invalid'));
  const response = await ask(url.href, isRehearsed ? 0 : 2);
  if (response === null) throw new Error(t('trial_link_private'));
  if (response.type === 'opaqueredirect') throw new Error(t('trial_link_redirect'));
  if (!response.ok) {
    await endAnswer(response);
    throw new Error(t('trial_link_status', { status: response.status }));
  }
  const text = await textWithin(response, LARGEST_TRIAL);
  if (text === null) throw tooLong();
  return parseTrialText(text);
}

async function ask(url: string, space: AddressSpace): Promise<Response | null> {
  try {
    return await fetchFrom(space, url, {
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT),
    });
  } catch (error) {
    throw new Error(t('trial_link_no_answer', { error: String(error) }), { cause: error });
  }
}
