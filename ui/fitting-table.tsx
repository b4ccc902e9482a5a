import type { ComponentChildren, JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { TableHead } from './table-head';

/**
 * Around a table. Where it has no room for the columns, each row becomes a block of its cells, each under its heading.
 * @param label names a table that may be too long for its place, which the keyboard must be able to scroll
 */
export function FittingTable({
  label,
  class: classes = '',
  children,
}: {
  readonly label?: { readonly 'aria-label': string } | { readonly 'aria-labelledby': string };
  readonly class?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const holder = useRef<HTMLDivElement>(null);
  const arrangeIt = (): void => {
    if (holder.current !== null) arrange(holder.current);
  };
  useLayoutEffect(arrangeIt);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(arrangeIt);
    if (holder.current !== null)
      for (const part of [holder.current, ...holder.current.children]) observer.observe(part);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      class={`fitting ${classes}`}
      ref={holder}
      {...(label === undefined ? {} : { tabIndex: 0, role: 'region', ...label })}
    >
      {children}
    </div>
  );
}

/** Sets the class by hand and not as a property: only without it can the code see whether the columns have room. */
function arrange(holder: HTMLElement): void {
  const { scrollTop } = holder;
  holder.classList.remove('stacked');
  if (holder.scrollWidth <= holder.clientWidth) return;
  const headings = [...holder.querySelectorAll('thead :is(th, td)')].map(textOf);
  for (const cell of holder.querySelectorAll<HTMLTableCellElement>('tbody :is(th, td)'))
    cell.dataset['heading'] = cell.colSpan > 1 ? '' : (headings[cell.cellIndex] ?? '');
  holder.classList.add('stacked');
  holder.scrollTop = scrollTop;
}

function textOf(heading: Element): string {
  const copy = heading.cloneNode(true) as Element;
  for (const mark of copy.querySelectorAll('[aria-hidden]')) mark.remove();
  for (const end of copy.querySelectorAll('br')) end.replaceWith(' ');
  return copy.textContent.trim();
}

/** A table of rows under headings, each row a block where it has no room. */
export const PlainTable = ({
  id,
  head,
  children,
  ...around
}: Parameters<typeof FittingTable>[0] & {
  readonly id?: string;
  /** As for `TableHead`. */
  readonly head: readonly ComponentChildren[];
}): JSX.Element => (
  <FittingTable {...around}>
    <table class="plain-table" {...(id === undefined ? {} : { id })}>
      <TableHead of={head} />
      <tbody>{children}</tbody>
    </table>
  </FittingTable>
);
