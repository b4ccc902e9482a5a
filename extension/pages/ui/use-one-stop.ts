import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * Makes controls one stop of the Tab key: arrow keys, Home and End move among them.
 * @param selector of the controls in the element.
 * @returns the element's `ref`.
 */
export function useOneStop(selector: string): (element: HTMLElement | null) => void {
  const [root, setRoot] = useState<HTMLElement | null>(null);
  const stop = useRef<HTMLElement | null>(null);
  const controls = (): HTMLElement[] => [...(root?.querySelectorAll<HTMLElement>(selector) ?? [])];
  const stopAt = (chosen: HTMLElement | undefined): void => {
    stop.current = chosen ?? null;
    for (const control of controls()) control.tabIndex = control === chosen ? 0 : -1;
  };

  // After every render, because controls come and go.
  useEffect(() => {
    const all = controls();
    stopAt(all.find((control) => control === stop.current) ?? all[0]);
  });

  useEffect(() => {
    if (root === null) return;
    const onFocus = ({ target }: Event): void => {
      const control = controls().find((one) => one === target);
      if (control !== undefined) stopAt(control);
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      const all = controls();
      const at = all.findIndex((control) => control === event.target);
      const next = at < 0 ? undefined : all[nextIndex(event.key, at, all.length)];
      if (next === undefined) return;
      event.preventDefault();
      next.focus();
    };
    root.addEventListener('focusin', onFocus);
    root.addEventListener('keydown', onKeyDown);
    return () => {
      root.removeEventListener('focusin', onFocus);
      root.removeEventListener('keydown', onKeyDown);
    };
  }, [root]);
  return setRoot;
}

/** −1 for keys that do not move. */
function nextIndex(key: string, at: number, count: number): number {
  const targets = new Map([
    ['ArrowRight', (at + 1) % count],
    ['ArrowLeft', (at + count - 1) % count],
    ['Home', 0],
    ['End', count - 1],
  ]);
  return targets.get(key) ?? -1;
}
