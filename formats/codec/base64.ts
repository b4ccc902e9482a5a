import { codec, type Codec } from './codec';

const BASE64 = /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes as a string in Base64. */
export const base64: Codec<Uint8Array> = codec(
  (place) => {
    if (typeof place.value === 'string' && BASE64.test(place.value)) return bytesOf(place.value);
    place.expected('base64');
    return new Uint8Array();
  },
  (bytes) => btoa(charactersOf(bytes)),
  { type: 'string', contentEncoding: 'base64', pattern: BASE64.source },
);

/** A call takes no more arguments than fit on the stack. */
const ARGUMENTS = 8192;

function charactersOf(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += ARGUMENTS)
    // `apply` takes bytes as they are; to spread them takes several times as long.
    text += String.fromCharCode.apply(null, bytes.subarray(start, start + ARGUMENTS) as unknown as number[]);
  return text;
}

function bytesOf(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** As `base64`, of a fixed length. */
export function base64Of(count: number): Codec<Uint8Array> {
  // Every 3 bytes are 4 characters.
  const length = 4 * Math.ceil(count / 3);
  return codec(
    (place) => {
      const bytes = place.attempt(base64);
      if (bytes !== null && bytes.length !== count) place.expected('bytes', { count });
      return bytes ?? new Uint8Array(count);
    },
    base64.write,
    { ...base64.schema, minLength: length, maxLength: length },
  );
}
