import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useNarrow } from '../../../ui/use-narrow';

/** The height of a row in pixels, as in table.css: in a narrow window there is room for two lines. */
const WIDE_ROW = 32;
const NARROW_ROW = 44;
const HEAD = 36;
/** Extra rows beyond the edges, so that quick scrolling shows no gaps. */
const OVERSCAN = 12;

interface RowsInView {
  readonly scroller: { readonly current: HTMLDivElement | null };
  /** Of the scroller, in pixels. */
  readonly width: number;
  /** Of a row, in pixels. */
  readonly height: number;
  /** The document holds the rows from `first` up to, but not including, `last`. */
  readonly first: number;
  readonly last: number;
  /** The row from which the arrow keys move. */
  readonly current: number;
  /** The only row that Tab reaches. */
  readonly inTabOrder: number;
  readonly setActive: (index: number) => void;
  readonly onScroll: () => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** Which rows of a scrolled table are in view, and how keys move between them. */
export function useRowsInView(count: number): RowsInView {
  const scroller = useRef<HTMLDivElement>(null);
  const row = useNarrow() ? NARROW_ROW : WIDE_ROW;
  const [view, setView] = useState({ top: 0, height: 600, width: 0 });
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);
  const measure = (): void => {
    const element = scroller.current;
    if (element !== null)
      setView({ top: element.scrollTop, height: element.clientHeight, width: element.clientWidth });
  };

  useLayoutEffect(() => {
    if (scroller.current === null) return;
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(scroller.current);
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(view.top / row) - OVERSCAN);
  const last = Math.min(count, Math.ceil((view.top + view.height) / row) + OVERSCAN);
  const current = Math.min(active, Math.max(0, count - 1));
  const inTabOrder = current >= first && current < last ? current : first;

  useEffect(() => {
    if (!wantsFocus.current) return;
    const link = scroller.current?.querySelector<HTMLElement>(`[data-index="${current}"] a`);
    if (link === null || link === undefined) return;
    wantsFocus.current = false;
    link.focus();
  });

  const goTo = (index: number): void => {
    const element = scroller.current;
    if (element === null) return;
    const target = Math.max(0, Math.min(count - 1, index));
    scrollTo(element, target * row, row);
    wantsFocus.current = true;
    setActive(target);
    measure();
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const target = targetOf(event.key, current, count, Math.floor((view.height - HEAD) / row));
    if (target === undefined) return;
    event.preventDefault();
    goTo(target);
  };

  return {
    scroller,
    width: view.width,
    height: row,
    first,
    last,
    current,
    inTabOrder,
    setActive,
    onScroll: measure,
    onKeyDown,
  };
}

/** Scrolls only as far as needed to show the row below the sticky head. */
function scrollTo(element: HTMLElement, top: number, row: number): void {
  const below = top + row + HEAD - element.clientHeight;
  if (top < element.scrollTop) element.scrollTop = top;
  else if (below > element.scrollTop) element.scrollTop = below;
}

function targetOf(key: string, current: number, count: number, rowsInView: number): number | undefined {
  const page = Math.max(1, rowsInView - 1);
  const targets = new Map([
    ['ArrowDown', current + 1],
    ['ArrowUp', current - 1],
    ['PageDown', current + page],
    ['PageUp', current - page],
    ['Home', 0],
    ['End', count - 1],
  ]);
  return targets.get(key);
}
