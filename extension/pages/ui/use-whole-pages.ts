import { useLayoutEffect, useRef } from 'preact/hooks';

/**
 * Lets a table whose columns fill pages come to rest only where a page begins, so that its edge crosses no column. Firefox's own scroll
 * snapping would stay where it is unless scrolled by half a page.
 * @param page in pixels; 0 without pages
 * @returns what to do when scrolling ends
 */
export function useWholePages(scroller: { readonly current: HTMLElement | null }, page: number): () => void {
  const rested = useRef(0);
  const rest = (toPage: (pages: number) => number): void => {
    const element = scroller.current;
    if (element === null || page === 0) return;
    const left = toPage(element.scrollLeft / page) * page;
    rested.current = left;
    if (Math.abs(element.scrollLeft - left) > 0.5) element.scrollLeft = left;
  };
  useLayoutEffect(() => rest(Math.round), [page]);
  return () => {
    const moved = (scroller.current?.scrollLeft ?? 0) - rested.current;
    // A little is no intention: zoomed windows scroll by fractions of a pixel.
    if (Math.abs(moved) > 1) rest(moved > 0 ? Math.ceil : Math.floor);
  };
}
