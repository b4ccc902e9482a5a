import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Draws each of its children after the one before is painted, so that people can use the first while the last are still drawn. */
export function OneByOne({ children }: { readonly children: readonly ComponentChildren[] }): JSX.Element {
  const [drawn, setDrawn] = useState(1);
  const { length } = children;
  useEffect(() => {
    if (drawn < length) setDrawn(drawn + 1);
  }, [drawn, length]);
  return <>{children.slice(0, drawn)}</>;
}
