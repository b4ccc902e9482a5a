import type { ComponentChildren, JSX } from 'preact';

/** A section of a page, which the reader opens if it is folded. */
export const FoldableCard = ({
  title,
  isFolded,
  children,
}: {
  /** A heading. */
  readonly title: JSX.Element;
  readonly isFolded: boolean;
  readonly children: ComponentChildren;
}): JSX.Element =>
  isFolded ? (
    <details class="card folded">
      <summary>{title}</summary>
      <div class="stack">{children}</div>
    </details>
  ) : (
    <section class="card">
      {title}
      {children}
    </section>
  );
