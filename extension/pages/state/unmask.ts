import { parseUrl } from '../../../src/model/origin';

/** Scripts that have letters which look like those of others, and those that belong together. */
const scripts: readonly (readonly [name: string, letters: RegExp])[] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Georgian', /\p{Script=Georgian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Hebrew', /\p{Script=Hebrew}/u],
  ['Arabic', /\p{Script=Arabic}/u],
  ['Thai', /\p{Script=Thai}/u],
  ['CJK', /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u],
];

/** Characters that show nothing: they separate no words. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;

/** The scripts of a word that has letters of several, so that some may look like others; none if each word has one script. */
export function scriptsMixedIn(text: string): readonly string[] {
  for (const word of text.replace(INVISIBLE, '').split(/[^\p{Letter}\p{Mark}]/u)) {
    const found = scripts.filter(([, letters]) => letters.test(word)).map(([name]) => name);
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
