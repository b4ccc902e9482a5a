import type { Codec } from './codec';

const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes as a string in Base64. */
export const base64: Codec<Uint8Array> = {
  parse: (place) => {
    if (typeof place.value === 'string' && BASE64.test(place.value)) return bytesOf(place.value);
    place.expected('base64');
    return new Uint8Array();
  },
  write: (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
  schema: { type: 'string', contentEncoding: 'base64', pattern: BASE64.source },
};

const bytesOf = (text: string): Uint8Array =>
  Uint8Array.from(atob(text), (character) => character.charCodeAt(0));

/** As `base64`, of a fixed length. */
export const base64Of = (length: number): Codec<Uint8Array> => ({
  ...base64,
  parse: (place) => {
    const bytes = place.attempt(base64.parse);
    if (bytes !== null && bytes.length !== length) place.expected('bytes', { count: length });
    return bytes ?? new Uint8Array(length);
  },
  // Every 3 bytes are 4 characters.
  schema: { ...base64.schema, minLength: 4 * Math.ceil(length / 3), maxLength: 4 * Math.ceil(length / 3) },
});
