/** In bytes: as many as a call takes for arguments in any browser. */
const PIECE = 1 << 13;

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
