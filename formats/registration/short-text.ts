import { string, type Parser } from '../codec/codec';

/** A string within the limit in bytes of UTF-8, in which Chromium counts. */
export const shortText =
  (maxBytes: number): Parser<string> =>
  (place) => {
    const read = string(place);
    if (utf8Length(read) > maxBytes) place.expected('short-text', { max: maxBytes });
    return read;
  };

export function utf8Length(text: string): number {
  let length = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    length += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return length;
}
