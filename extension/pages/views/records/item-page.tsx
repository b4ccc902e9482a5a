import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../../i18n';
import { routeTo } from '../../state/route';

/** The page of one row: a link to its table, its name, and its parts. Escape goes back to the table. */
export function ItemPage({
  table,
  title,
  id,
  tabs = [],
  tab = '',
  children,
}: {
  readonly table: string;
  readonly title: string;
  readonly id: number;
  readonly tabs?: readonly (readonly [path: string, title: string])[];
  readonly tab?: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), [table, id]);
  useEffect(() => {
    const leave = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element &&
        event.target.closest('input, textarea, select, details[open]') !== null;
      if (event.key === 'Escape' && !isTyping) location.hash = routeTo([table]);
    };
    addEventListener('keydown', leave);
    return () => removeEventListener('keydown', leave);
  }, [table]);
  return (
    <>
      <div class="stack">
        <a href={routeTo([table])} class="small">
          {t('item_all', { table })}
        </a>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {tabs.length > 0 && (
          <nav class="tabs" aria-label={title}>
            {tabs.map(([path, name]) => (
              <a
                key={path}
                href={routeTo(path === '' ? [table, id] : [table, id, path])}
                aria-current={tab === path ? 'page' : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
        )}
      </div>
      {children}
    </>
  );
}
