/** The width of a text in one line, in pixels. */
type Measure = (text: string) => number;

/** What a cell has room for. */
export interface Room {
  /** In pixels. */
  readonly width: number;
  readonly lines: 1 | 2;
}

/** The width that a text needs: in two lines, that of the longer one where they are most alike. Lines are broken at spaces only. */
export function neededWidth(text: string, lines: Room['lines'], measure: Measure): number {
  if (lines === 1) return measure(text);
  const words = text.split(' ');
  return Math.min(
    ...words.map((_, index) =>
      Math.max(measure(words.slice(0, index + 1).join(' ')), measure(words.slice(index + 1).join(' '))),
    ),
  );
}

/**
 * As much of a text as there is room for, in whole words, and … for the rest. Words end at spaces, and within names and addresses at marks.
 * A first word without room stays whole.
 */
export function fitted(text: string, room: Room, measure: Measure): string {
  const fits = (shown: string): boolean => neededWidth(shown, room.lines, measure) <= room.width;
  if (fits(text)) return text;
  const words = text.split(/(?<=[\s./?&=_,;:-])/);
  for (let kept = words.length - 1; kept > 0; kept--) {
    const shown = `${words.slice(0, kept).join('')}…`;
    if (fits(shown)) return shown;
  }
  return text;
}

/** The same for an origin: its last words say most. */
export function fittedOrigin(origin: string, room: Room, measure: Measure): string {
  const words = origin.split(/(?<=[.-])/);
  const endings = words.map((_, index) => (index === 0 ? origin : `…${words.slice(index).join('')}`));
  return endings.find((shown) => measure(shown) <= room.width) ?? origin;
}

/** What a column wants, in pixels. */
interface Wanted {
  readonly least: number;
  readonly needed: number;
  /** The most that it gets as long as there is no room to spare. */
  readonly most: number;
}

/** The widths of columns: what each needs, up to its most; beyond that, what the others leave, from left to right. */
export function shared(columns: readonly Wanted[], available: number): readonly number[] {
  const first = columns.map(({ least, needed, most }) => Math.max(least, Math.min(needed, most)));
  let spare = available - first.reduce((sum, width) => sum + width, 0);
  return columns.map(({ needed }, index) => {
    const width = first[index] ?? 0;
    const more = Math.max(0, Math.min(spare, needed - width));
    spare -= more;
    return width + more;
  });
}
