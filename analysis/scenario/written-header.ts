import { isJsonObject, type Json } from '../../src/model/json';

/** A header's JSON as text, written like Chromium's runner does, with sorted keys and a point in large numbers, because reports on header errors quote the text. */
export function writtenHeader(value: Json): string {
  const pieces: string[] = [];
  write(value, pieces);
  return pieces.join('');
}

function write(value: Json, pieces: string[]): void {
  if (typeof value === 'string') writeText(value, pieces);
  else if (Array.isArray(value)) {
    let before = '[';
    for (const item of value as readonly Json[]) {
      pieces.push(before);
      write(item, pieces);
      before = ',';
    }
    pieces.push(before === '[' ? '[]' : ']');
  } else if (isJsonObject(value)) {
    let before = '{';
    for (const key of sorted(Object.keys(value))) {
      pieces.push(before);
      writeText(key, pieces);
      pieces.push(':');
      write(value[key] ?? null, pieces);
      before = ',';
    }
    pieces.push(before === '{' ? '{}' : '}');
  } else {
    const isLarge = typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) > 2 ** 31 - 1;
    pieces.push(isLarge ? `${value}.0` : JSON.stringify(value));
  }
}

/** Text of ASCII without what JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** As `JSON.stringify`, which takes longer for short texts. */
function writeText(text: string, pieces: string[]): void {
  if (PLAIN.test(text)) pieces.push('"', text, '"');
  else pieces.push(JSON.stringify(text));
}

/** Few keys are mostly in order, and then need no sort. */
const sorted = (keys: string[]): readonly string[] =>
  keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') < key) ? keys : keys.sort();
