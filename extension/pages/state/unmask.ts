import { parseUrl } from '../../../src/model/origin';

/** Scripts that have letters which look like those of others, by their codes (ISO 15924), and those that belong together. */
const scripts: readonly (readonly [code: string, letters: RegExp])[] = [
  ['Latn', /\p{Script=Latin}/u],
  ['Grek', /\p{Script=Greek}/u],
  ['Cyrl', /\p{Script=Cyrillic}/u],
  ['Armn', /\p{Script=Armenian}/u],
  ['Geor', /\p{Script=Georgian}/u],
  ['Cher', /\p{Script=Cherokee}/u],
  ['Hebr', /\p{Script=Hebrew}/u],
  ['Arab', /\p{Script=Arabic}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['Hani', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u],
];

/** Characters that show nothing: they separate no words. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** The codes of the scripts of a word that has letters of several, so that some may look like others; none if each word has one script. */
export function scriptsMixedIn(text: string): readonly string[] {
  for (const word of text.replace(INVISIBLE, '').split(/[^\p{Letter}\p{Mark}]/u)) {
    const found = scripts.filter(([, letters]) => letters.test(word)).map(([code]) => code);
    if (found.length > 1) return found;
  }
  return [];
}

/** The host of a web or e-mail address in the ASCII that names are looked up by, such as `xn--…`; null if it is written in ASCII, or there is none. */
export function asciiHostIn(address: string): string | null {
  const shown = address.replace(INVISIBLE, '').trim();
  const [, host = ''] =
    /^https?:\/\/([^/?#:@\s]+)/i.exec(shown) ?? /^[^@\s]+@([^@/?#:\s]+)$/.exec(shown) ?? [];
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (/^[\u0000-\u007f]*$/.test(host)) return null;
  return parseUrl(`https://${host}`)?.hostname ?? null;
}
