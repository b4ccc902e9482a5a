import { isJsonObject, type Json } from '../../src/model/json';

/** A header's JSON as text, written like Chromium's runner does, with sorted keys and a point in large numbers, because reports on header errors quote the text. */
export function writtenHeader(value: Json): string {
  const pieces: string[] = [];
  write(value, pieces);
  // Texts that are added to one another keep every piece in memory, which takes four times as much.
  return pieces.join('');
}

function write(value: Json, pieces: string[]): void {
  if (typeof value === 'string') pieces.push(writtenText(value));
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
      pieces.push(before, writtenText(key), ':');
      write(value[key] ?? null, pieces);
      before = ',';
    }
    pieces.push(before === '{' ? '{}' : '}');
  } else pieces.push(typeof value === 'number' ? writtenNumber(value) : JSON.stringify(value));
}

function writtenNumber(value: number): string {
  const isLarge = Number.isSafeInteger(value) && Math.abs(value) > 2 ** 31 - 1;
  return isLarge ? `${value}.0` : JSON.stringify(value);
}

/** Text of ASCII without what JSON escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** As `JSON.stringify`, which takes longer for short texts. */
const writtenText = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

/** Few keys are sorted by insertion, which takes no memory. */
function sorted(keys: string[]): readonly string[] {
  if (keys.length > MOST_INSERTED) return keys.sort();
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] ?? '';
    let place = index;
    for (; place > 0 && (keys[place - 1] ?? '') > key; place--) keys[place] = keys[place - 1] ?? '';
    keys[place] = key;
  }
  return keys;
}

const MOST_INSERTED = 16;
