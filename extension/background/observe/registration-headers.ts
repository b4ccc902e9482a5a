import type { WebRequest } from 'webextension-polyfill';
import type { RegistrationHeaders } from '../../../recording/requests';
import { unknownHeader } from '../../../recording/unknown-headers';
import { textOf } from '../documents/request-details';

const HEADER_PREFIX = 'attribution-reporting-';
/** What names begin with that may be mistaken. */
const MISTAKEN_PREFIX = 'attribution';

/** The values of a header, as one list; null when there is none. */
export function headerOf(headers: WebRequest.HttpHeaders, name: string): string | null {
  const values = headers.filter((header) => header.name.toLowerCase() === name).map(textOf);
  return values.length === 0 ? null : values.join(', ');
}

/** The registration headers of a response; null when there are none. */
export function registrationHeaders(headers: WebRequest.HttpHeaders): RegistrationHeaders | null {
  if (!headers.some(({ name }) => name.toLowerCase().startsWith(MISTAKEN_PREFIX))) return null;
  // RFC 9110, 5.2: several lines of one field are joined. The parser refuses the result and says so.
  const get = (name: string): string | null => headerOf(headers, HEADER_PREFIX + name);
  const found: RegistrationHeaders = {
    source: get('register-source'),
    trigger: get('register-trigger'),
    osSource: get('register-os-source') !== null,
    osTrigger: get('register-os-trigger') !== null,
    info: get('info'),
  };
  if (found.source !== null || found.trigger !== null || found.osSource || found.osTrigger) return found;
  const unknown = unknownHeader(headers.map(({ name }) => name));
  return unknown === undefined ? null : { ...found, unknown };
}
