import type { ComponentChildren, JSX } from 'preact';
import { Card } from '../pages/ui/basics';

const COLUMNS = 20;
const PEOPLE = 100;

/** A share of people as dots, the rounded part of them lit. */
export function People({
  title,
  share,
  children,
}: {
  readonly title: string;
  readonly share: number;
  readonly children: ComponentChildren;
}): JSX.Element {
  const lit = Math.round(share * PEOPLE);
  return (
    <Card title={title}>
      <svg viewBox={`0 0 ${COLUMNS * 16} ${(PEOPLE / COLUMNS) * 16}`} class="people" aria-hidden="true">
        {Array.from({ length: PEOPLE }, (_, index) => (
          <circle
            key={index}
            cx={(index % COLUMNS) * 16 + 8}
            cy={Math.floor(index / COLUMNS) * 16 + 8}
            r="5"
            class={index < lit ? 'lit' : undefined}
          />
        ))}
      </svg>
      <p>{children}</p>
    </Card>
  );
}
