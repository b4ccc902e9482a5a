import { greatest } from '../../../numeric/extremes';
/** The width of a text in one line, in pixels. */
type Measure = (text: string) => number;

const WORD_END = /(?<=[\s./?&=_,;:-])/;
const LABEL_END = /(?<=[.-])/;

/** In characters: more than any cell has room for. The rest is not measured, because pages and files supply texts of any length. */
const LONGEST = 1000;

/** What a cell has room for. */
export interface Room {
  /** In pixels. */
  readonly width: number;
  readonly lines: 1 | 2;
}

/** The width that a text needs: in two lines, that of the longer one where they are most alike. Lines are broken at spaces only. */
export function neededWidth(whole: string, lines: Room['lines'], measure: Measure): number {
  const text = whole.slice(0, LONGEST);
  if (lines === 1) return measure(text);
  const words = text.split(' ');
  const first = (count: number): number => measure(words.slice(0, count).join(' '));
  const second = (count: number): number => measure(words.slice(count).join(' '));
  // With more words the first line grows and the second shrinks, so they are most alike where the first gets the longer one.
  const count = leastWith(1, words.length, (tried) => first(tried) >= second(tried));
  return Math.min(first(count), count === 1 ? Infinity : second(count - 1));
}

/** The least number in the range for which something is so that then is so for all greater ones, as for `most`. */
function leastWith(least: number, most: number, isSo: (number: number) => boolean): number {
  let [low, high] = [least, most];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isSo(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * As much of a text as there is room for, in whole words, and … for the rest. Words end at spaces, and within names and addresses at marks.
 * A first word without room stays whole.
 */
export function fitted(text: string, room: Room, measure: Measure): string {
  const fits = (shown: string): boolean => neededWidth(shown, room.lines, measure) <= room.width;
  if (text.length <= LONGEST && fits(text)) return text;
  const words = text.slice(0, LONGEST).split(WORD_END);
  const shown = (count: number): string => `${words.slice(0, count).join('')}…`;
  // Of a long text, the last word may be cut.
  const whole = words.length - 1;
  const left = leastWith(0, whole, (without) => without === whole || fits(shown(whole - without)));
  if (left < whole) return shown(whole - left);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}

/** The same for an origin: its last words say most. */
export function fittedOrigin(origin: string, room: Room, measure: Measure): string {
  if (origin.length <= LONGEST && measure(origin) <= room.width) return origin;
  const words = origin.slice(-LONGEST).split(LABEL_END);
  const shown = (without: number): string => `…${words.slice(without).join('')}`;
  const left = leastWith(
    1,
    words.length,
    (without) => without === words.length || measure(shown(without)) <= room.width,
  );
  if (left < words.length) return shown(left);
  return origin.length <= LONGEST ? origin : `…${origin.slice(-LONGEST)}`;
}

/** The least that a text can be shortened to. */
export function leastWidth(text: string, measure: Measure): number {
  const [word = ''] = text.slice(0, LONGEST).split(WORD_END);
  return measure(word === text ? text : `${word}…`);
}

/** The same for an origin, of which two words tell it from others. */
export function leastOriginWidth(origin: string, measure: Measure): number {
  const words = origin.slice(-LONGEST).split(LABEL_END);
  return measure(words.length <= 2 ? origin : `…${words.slice(-2).join('')}`);
}

/** What a column wants, in pixels. */
interface Wanted {
  /** With less than this, its texts would be cut, or say nothing. */
  readonly least: number;
  readonly needed: number;
  /** The most that it gets as long as there is no room to spare. */
  readonly most: number;
}

export const sumOf = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width, 0);

/**
 * The widths of columns: what each needs, up to its most; beyond that, what the others leave, from left to right. Where that is too much,
 * the widest give way, down to their least.
 */
export function shared(columns: readonly Wanted[], available: number): readonly number[] {
  const first = columns.map(({ least, needed, most }) => Math.max(least, Math.min(needed, most)));
  const upTo = (cap: number): readonly number[] =>
    columns.map(({ least }, index) => Math.max(least, Math.min(first[index] ?? 0, cap)));
  let cap = greatest([0, ...first]);
  while (cap > 0 && sumOf(upTo(cap)) > available) cap--;
  const widths = upTo(cap);
  let spare = available - sumOf(widths);
  return columns.map(({ needed }, index) => {
    const width = widths[index] ?? 0;
    const more = Math.max(0, Math.min(spare, needed - width));
    spare -= more;
    return width + more;
  });
}

/** Which columns are shown: without room for the least of all, the last are hidden, except those that stay. */
export function withRoom<Column extends Pick<Wanted, 'least'> & { readonly stays: boolean }>(
  columns: readonly Column[],
  available: number,
): readonly Column[] {
  const needed = sumOf(columns.map(({ least }) => least));
  const last = needed <= available ? undefined : columns.findLast(({ stays }) => !stays);
  return last === undefined
    ? columns
    : withRoom(
        columns.filter((column) => column !== last),
        available,
      );
}

/** Widens columns until pages of them fill what they are scrolled in, so that its edge crosses none where a page begins. */
export function paged(widths: readonly number[], available: number): readonly number[] {
  const pages: number[][] = [];
  for (const width of widths) {
    const page = pages.at(-1);
    if (page === undefined || sumOf(page) + width > available) pages.push([width]);
    else page.push(width);
  }
  return pages.flatMap((page) => {
    const spare = available - sumOf(page);
    const each = Math.floor(spare / page.length);
    return page.map((width, index) => width + (index === 0 ? spare - each * (page.length - 1) : each));
  });
}
