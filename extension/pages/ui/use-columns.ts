import { useRef } from 'preact/hooks';
import { useNarrow } from '../../../ui/use-narrow';
import type { Item, Placed } from '../data/table';
import { cellWidth, mayBreak, type Look } from './cell-text';
import { shared, type Room } from './fit';
import { textWidth } from './text-width';

export interface ShownColumn extends Look, Placed {
  readonly title: string;
}

/** A column with its place in the window. */
export interface LaidColumn extends ShownColumn {
  /** With its padding, in pixels. */
  readonly width: number;
  readonly room: Room;
}

interface Columns {
  readonly idWidth: number;
  readonly columns: readonly LaidColumn[];
}

/** In pixels; the padding is that of table.css, on both sides. */
interface Measures {
  readonly padding: number;
  /** The most that a column gets before all columns have what they need. */
  readonly most: { readonly text: number; readonly origin: number; readonly outcome: number };
  readonly lines: Room['lines'];
}
const WIDE: Measures = { padding: 20, most: { text: 200, origin: 240, outcome: 260 }, lines: 1 };
/** What stays in view leaves room for the rest. */
const NARROW: Measures = { padding: 12, most: { text: 200, origin: 200, outcome: 138 }, lines: 2 };

/** Of the arrow in the heading by which the table is sorted. */
const ARROW = 16;

/**
 * Columns as wide as the widest text that was in view so far, so that they do not shrink while rows pass by. The outcome comes first, where
 * it stays in view.
 * @param available pixels for all columns
 */
export function useColumns(
  given: readonly ShownColumn[],
  inView: readonly Item[],
  {
    idTitle,
    sort,
    available,
  }: { readonly idTitle: string; readonly sort: string; readonly available: number },
): Columns {
  const measures = useNarrow() ? NARROW : WIDE;
  const { padding, most, lines } = measures;
  const widest = useRef({ measures, of: new Map<string, number>() });
  if (widest.current.measures !== measures) widest.current = { measures, of: new Map() };
  const headingWidth = (key: string, title: string): number =>
    textWidth(title, 'heading') + padding + (key === sort ? ARROW : 0);
  const neededBy = (key: string, texts: readonly number[]): number => {
    const needed = Math.max(widest.current.of.get(key) ?? 0, ...texts.map((text) => text + padding));
    widest.current.of.set(key, needed);
    return needed;
  };
  const idWidth = Math.max(
    headingWidth('id', idTitle),
    neededBy(
      'id',
      inView.map(({ id }) => textWidth(String(id), 'heading')),
    ),
  );
  const isOutcome = ({ outcome }: Look): boolean => outcome === true;
  const inOrder = [...given.filter(isOutcome), ...given.filter((column) => !isOutcome(column))];
  const linesOf = (column: ShownColumn): Room['lines'] => (mayBreak(column) ? lines : 1);
  const wanted = inOrder.map((column) => {
    const texts = inView.map(({ cells }) => cellWidth(column, cells[column.index] ?? null, linesOf(column)));
    return {
      least: headingWidth(column.key, column.title),
      most: isOutcome(column) ? most.outcome : column.as === 'origin' ? most.origin : most.text,
      needed: neededBy(column.key, texts),
    };
  });
  const widths = shared(wanted, available - idWidth);
  return {
    idWidth,
    columns: inOrder.map((column, index) => {
      const width = widths[index] ?? 0;
      return { ...column, width, room: { width: width - padding, lines: linesOf(column) } };
    }),
  };
}
