import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** In pixels, between a sheet and the edge of the window. */
const EDGE = 8;

/** A sheet that opens under a button. Its content is rendered only while open. Escape, or a click elsewhere, closes it. */
export function Menu({
  title,
  active = false,
  children,
}: {
  readonly title: string;
  readonly active?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const details = useRef<HTMLDetailsElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [shift, setShift] = useState(0);
  // Under a button at the edge, the sheet would extend beyond the window.
  useLayoutEffect(() => {
    const right = isOpen ? (sheet.current?.getBoundingClientRect().right ?? 0) : 0;
    setShift(Math.min(0, document.documentElement.clientWidth - EDGE - right));
  }, [isOpen]);
  useEffect(() => {
    const close = (event: Event): void => {
      const element = details.current;
      if (element === null || !element.open) return;
      if (event instanceof KeyboardEvent ? event.key === 'Escape' : !element.contains(event.target as Node)) {
        element.open = false;
        if (event instanceof KeyboardEvent) element.querySelector('summary')?.focus();
      }
    };
    addEventListener('pointerdown', close);
    addEventListener('keydown', close);
    return () => {
      removeEventListener('pointerdown', close);
      removeEventListener('keydown', close);
    };
  }, []);
  return (
    <details
      class={active ? 'menu active' : 'menu'}
      ref={details}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      <div class="sheet" ref={sheet} style={{ left: `${shift}px` }}>
        {isOpen && children}
      </div>
    </details>
  );
}
