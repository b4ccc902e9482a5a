import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

/** A part of a menu that opens within it. As with `Menu`, its content is rendered only while open. */
export function Fold({
  title,
  active = false,
  children,
}: {
  readonly title: string;
  readonly active?: boolean;
  readonly children: ComponentChildren;
}): JSX.Element {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details
      class={active ? 'fold active' : 'fold'}
      onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      <div>{isOpen && children}</div>
    </details>
  );
}
