import type { Cell, Column } from '../tables/table';
import { bare, showExactTime, showShortTime } from '../words/words';
import { fitted, fittedOrigin, leastOriginWidth, leastWidth, neededWidth, type Room } from './fit';
import { textWidth } from './text-width';

/** What decides how a cell looks. */
export type Look = Pick<Column<never>, 'as' | 'label' | 'tone' | 'outcome'>;

/** Before the words of a chip; as in base.css. */
const MARK = 14;

/** A cell's text as it is in full. */
function fullText({ as, label }: Look, cell: Cell): string {
  if (cell === null) return '';
  if (label !== undefined) return label(cell);
  if (as === 'time' && typeof cell === 'number') return showShortTime(cell);
  if (as === 'origin') return String(cell).split(', ').map(bare).join(', ');
  return String(cell);
}

/** As much of it as there is room for. */
export function cellText(look: Look, cell: Cell, { width, lines }: Room): string {
  const text = fullText(look, cell);
  const room = { width: width - markOf(look), lines };
  return (isOneOrigin(look, text) ? fittedOrigin : fitted)(text, room, textWidth);
}

const isOneOrigin = ({ as }: Look, text: string): boolean => as === 'origin' && !text.includes(', ');

/** The width that a cell's text needs, in pixels. */
export const cellWidth = (look: Look, cell: Cell, lines: Room['lines']): number =>
  neededWidth(fullText(look, cell), lines, textWidth) + markOf(look);

/** The least that it can be shortened to. Times and numbers are shown in full. */
export function leastCellWidth(look: Look, cell: Cell): number {
  if (look.as === 'time' || look.as === 'number') return cellWidth(look, cell, 1);
  const text = fullText(look, cell);
  return (isOneOrigin(look, text) ? leastOriginWidth : leastWidth)(text, textWidth) + markOf(look);
}

/** Only texts in words are broken. */
export const mayBreak = ({ as }: Look): boolean => as === undefined;

const markOf = ({ tone }: Look): number => (tone === undefined ? 0 : MARK);

/** What is shortened, or as it was recorded. */
export const titleOf = (look: Look, cell: Cell, shown: string): string | undefined => {
  if (look.as === 'time' && typeof cell === 'number') return showExactTime(cell);
  if (look.as === 'origin') return cell === null ? undefined : String(cell);
  const full = fullText(look, cell);
  return shown === full ? undefined : full;
};
