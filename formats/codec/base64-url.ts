import { plain, type Codec } from './codec';

/** In bytes: as many as a call takes for arguments in any browser. */
const PIECE = 1 << 13;

/** Bytes in Base64 for URLs, without padding. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += PIECE)
    text += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Null for damaged text, or none. */
export function fromBase64Url(text: string | null): Uint8Array<ArrayBuffer> | null {
  if (text === null) return null;
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (byte) =>
      byte.charCodeAt(0),
    );
  } catch {
    return null;
  }
}

/** The text of so many bytes. */
export function base64Url(count: number): Codec<string> {
  const length = Math.ceil((count * 8) / 6);
  const form = new RegExp(`^[\\w-]{${length}}$`);
  return plain(
    (place) => {
      if (typeof place.value === 'string' && form.test(place.value)) return place.value;
      place.expected('base64url', { count });
      return '';
    },
    { type: 'string', pattern: form.source },
  );
}
