import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** A sheet that opens under a button, and is made only then; Escape, or a click elsewhere, closes it. */
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
  const [isOpen, setIsOpen] = useState(false);
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
      <div class="sheet">{isOpen && children}</div>
    </details>
  );
}
