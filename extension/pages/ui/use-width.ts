import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** The width of an element's content in pixels, and of 900 until it is known. */
export function useWidth(): { holder: { current: HTMLDivElement | null }; width: number } {
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  useLayoutEffect(() => {
    if (holder.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 900));
    observer.observe(holder.current);
    return () => observer.disconnect();
  }, []);
  return { holder, width };
}
