import { useRef } from 'preact/hooks';
import { useNarrow } from '../../../ui/use-narrow';
import type { Item, Placed } from '../tables/table';
import { cellWidth, leastCellWidth, mayBreak, type Look } from './cell-text';
import { neededWidth, paged, shared, sumOf, withRoom, type Room } from './fit';
import { textWidth } from './text-width';
import { greatest } from '../../../numeric/extremes';

export interface ShownColumn extends Look, Placed {
  readonly title: string;
  /** Whether a person chose it, so that it is shown even without room. */
  readonly chosen: boolean;
}

/** A column with its place in the window. */
export interface LaidColumn extends ShownColumn {
  /** With its padding, in pixels. */
  readonly width: number;
  readonly room: Room;
}

interface Columns {
  readonly idWidth: number;
  /** Of what stays in view, in pixels. */
  readonly stuckWidth: number;
  readonly columns: readonly LaidColumn[];
  /** The width of the pages that are scrolled, in pixels; 0 if there are none. */
  readonly page: number;
  /** The keys of columns without room. */
  readonly hidden: readonly string[];
}

/** In pixels; the padding is that of table.css, on both sides. */
interface Measures {
  readonly padding: number;
  /** The most that a column gets before all columns have what they need. */
  readonly most: { readonly text: number; readonly origin: number; readonly outcome: number };
  /** Of what it can be shortened to, the least that still says something. */
  readonly least: number;
  readonly lines: Room['lines'];
}
const WIDE: Measures = { padding: 20, most: { text: 200, origin: 240, outcome: 260 }, least: 130, lines: 1 };
/** What stays in view leaves room for the rest. */
const NARROW: Measures = {
  padding: 12,
  most: { text: 200, origin: 200, outcome: 138 },
  least: 100,
  lines: 2,
};

/** Of the arrow in the heading by which the table is sorted. */
const ARROW = 16;

/** What the texts of a column took in one line, and in their least, in pixels. */
interface Taken {
  readonly needed: number;
  readonly least: number;
}

/**
 * Columns as wide as the widest text that was in view so far, so that they do not shrink while rows pass by. The outcome comes first, where
 * it stays in view. The last columns are hidden where there is no room for them.
 * @param available pixels for all columns; 0 if not yet known
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
  const { padding, lines } = measures;
  const takenBy = useMostTaken(measures);
  const linesOf = (column: ShownColumn): Room['lines'] => (mayBreak(column) ? lines : 1);
  const headingWidth = (key: string, title: string, lineCount: Room['lines']): number =>
    neededWidth(title, lineCount, (text) => textWidth(text, 'heading')) +
    padding +
    (key === sort ? ARROW : 0);
  const wanted = outcomeFirst(given).map((column) => {
    const { key, title, index } = column;
    const cells = inView.map(({ cells: all }) => all[index] ?? null);
    const taken = takenBy(
      key,
      cells.map((cell) => cellWidth(column, cell, linesOf(column)) + padding),
      cells.map((cell) => leastCellWidth(column, cell) + padding),
    );
    const heading = headingWidth(key, title, 1);
    return {
      column,
      least: Math.max(headingWidth(key, title, 2), taken.least, Math.min(taken.needed, measures.least)),
      needed: Math.max(heading, taken.needed),
      most: Math.max(heading, mostFor(column, measures)),
      stays: column.chosen || column.outcome === true || key === sort,
    };
  });
  const ids = inView.map(({ id }) => textWidth(String(id), 'link') + padding);
  const idWidth = Math.max(headingWidth('id', idTitle, 1), takenBy('id', ids, []).needed);
  const { placed, ...rest } = laid(wanted, idWidth, available);
  return {
    idWidth,
    ...rest,
    columns: placed.map(({ column, width }) => ({
      ...column,
      width,
      room: { width: width - padding, lines: linesOf(column) },
    })),
    hidden: given.filter((column) => placed.every((shown) => shown.column !== column)).map(({ key }) => key),
  };
}

/** Keeps the most that each column took so far. */
function useMostTaken(
  measures: Measures,
): (key: string, needed: readonly number[], least: readonly number[]) => Taken {
  const most = useRef({ measures, of: new Map<string, Taken>() });
  if (most.current.measures !== measures) most.current = { measures, of: new Map() };
  return (key, needed, least) => {
    const before = most.current.of.get(key) ?? { needed: 0, least: 0 };
    const taken = {
      needed: greatest([before.needed, ...needed]),
      least: greatest([before.least, ...least]),
    };
    most.current.of.set(key, taken);
    return taken;
  };
}

const isOutcome = ({ outcome }: Look): boolean => outcome === true;

const outcomeFirst = (given: readonly ShownColumn[]): readonly ShownColumn[] => [
  ...given.filter(isOutcome),
  ...given.filter((column) => !isOutcome(column)),
];

const mostFor = (column: Look, { most }: Measures): number =>
  isOutcome(column) ? most.outcome : column.as === 'origin' ? most.origin : most.text;

interface WantedColumn {
  readonly column: ShownColumn;
  readonly least: number;
  readonly needed: number;
  readonly most: number;
  readonly stays: boolean;
}

/** The columns that are shown, with their widths. If more were chosen than there is room for, they are scrolled page by page. */
function laid(
  wanted: readonly WantedColumn[],
  idWidth: number,
  available: number,
): Pick<Columns, 'stuckWidth' | 'page'> & {
  readonly placed: readonly (Pick<LaidColumn, 'width'> & Pick<WantedColumn, 'column'>)[];
} {
  const room = available === 0 ? Infinity : available - idWidth;
  const shown = withRoom(wanted, room);
  const widths = shared(shown, room);
  const stuck = widths.slice(0, shown.filter(({ column }) => isOutcome(column)).length);
  const stuckWidth = sumOf([idWidth, ...stuck]);
  const page = sumOf(widths) <= room ? 0 : available - stuckWidth;
  const places = page === 0 ? widths : [...stuck, ...paged(widths.slice(stuck.length), page)];
  return {
    stuckWidth,
    page,
    placed: shown.map(({ column }, index) => ({ column, width: places[index] ?? 0 })),
  };
}
