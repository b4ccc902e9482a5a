import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { PlainTable } from '../../../ui/fitting-table';
import { t } from './language';

interface ChartTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

interface Properties {
  readonly title: string;
  /** Distinguishes charts with the same title. */
  readonly of?: string;
  /** The content in one sentence, also for screen readers. */
  readonly says: string;
  readonly legend?: ComponentChildren;
  /** Draws at this width. A different function means a different picture. */
  readonly draw: (width: number) => Element;
  readonly table: ChartTable;
}

/** A picture of numbers, with a table of the numbers below it. */
export function Chart({ title, of, says, legend, draw, table }: Properties): JSX.Element {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);

  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (width === 0) return;
    const picture = draw(width);
    // The labels inside the picture are no help to screen readers.
    picture.setAttribute('aria-hidden', 'true');
    frame.current?.replaceChildren(picture);
  }, [draw, width]);

  const name = of === undefined ? title : t('name-of', { title, of });

  return (
    <figure class="card chart">
      <figcaption>
        <h3>{title}</h3>
        <p class="soft small">{says}</p>
      </figcaption>
      {legend}
      <div class="picture" ref={frame} role="img" aria-label={`${name}. ${says}`} />
      <details class="numbers">
        <summary aria-label={t('numbers-of', { name })}>{t('numbers')}</summary>
        <DataTable label={name} {...table} />
      </details>
    </figure>
  );
}

/** The first column names the row; the others are numbers. The table scrolls, so the keyboard must be able to focus it. */
const DataTable = ({ label, columns, rows }: ChartTable & { readonly label: string }): JSX.Element => (
  <PlainTable class="scroll" label={{ 'aria-label': t('numbers-table', { name: label }) }} head={columns}>
    {rows.map(([name, ...cells], index) => (
      <tr key={index}>
        <th scope="row">{name}</th>
        {cells.map((cell, column) => (
          <td key={column}>{cell}</td>
        ))}
      </tr>
    ))}
  </PlainTable>
);

export interface LegendEntry {
  readonly label: string;
  /** The CSS class of its mark. */
  readonly mark: string;
}

export const Legend = ({ entries }: { readonly entries: readonly LegendEntry[] }): JSX.Element => (
  <ul class="legend">
    {entries.map(({ label, mark }) => (
      <li key={label}>
        <span class={`key ${mark}`} aria-hidden="true" />
        {label}
      </li>
    ))}
  </ul>
);
