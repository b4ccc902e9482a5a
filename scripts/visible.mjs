/*
 * What a terminal obeys or shows as something else: control characters (C0, C1, DEL), marks of writing direction, separators of lines, halves
 * of surrogate pairs, and characters without a width, behind which a name can hide (Unicode TR 36, 2 and 3; CWE-150).
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/**
 * A text of others on one line of a terminal, with `\u001b` in the place of what the terminal would obey. Within the strings of JSON this is
 * the same text.
 */
export const visible = (text) => text.replace(HIDDEN, escaped);

const escaped = (character) =>
  [...Array(character.length).keys()]
    .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`)
    .join('');

/** The same JSON, with escapes in its strings; the white space between them stays. */
export const visibleJson = (json) =>
  json.replace(HIDDEN, (character) => (/[\t\n\r]/.test(character) ? character : escaped(character)));

/** The same, but for the ends of lines, which stay. */
export const visibleLines = (text) => text.split('\n').map(visible).join('\n');
