import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Cell, Item } from '../data/table';
import { t } from '../../i18n';
import { bare, showExactTime } from '../lib/words';
import { Chip } from './basics';

/** What the table needs to know of a column. */
interface ShownColumn {
  readonly key: string;
  readonly title: string;
  readonly as?: 'time' | 'number' | 'origin';
  readonly label?: (cell: Cell) => string;
  readonly tone?: (cell: Cell) => 'good' | 'warn' | 'bad' | 'soft' | undefined;
  readonly width: number;
  /** Where its values are in an item's cells. */
  readonly index: number;
}

interface Properties {
  readonly label: string;
  /** A row in words, for those who hear it. */
  readonly nameOf: (id: number) => string;
  readonly columns: readonly ShownColumn[];
  readonly items: readonly Item[];
  readonly sort: string;
  readonly descending: boolean;
  readonly onSort: (key: string) => void;
  readonly addressOf: (id: number) => string;
}

const ROW = 32;
const HEAD = 36;
/** Rows beyond the edges, so that quick scrolling shows no gaps. */
const OVERSCAN = 12;
const ID_WIDTH = 76;

/** A table of any length: only the rows in view are in the document. One row is in the tab order; arrows move on. */
export function DataTable(properties: Properties): JSX.Element {
  const { label, nameOf, columns, items, sort, descending, onSort, addressOf } = properties;
  const scroller = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [active, setActive] = useState(0);
  const wantsFocus = useRef(false);

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const first = Math.max(0, Math.floor(view.top / ROW) - OVERSCAN);
  const last = Math.min(items.length, Math.ceil((view.top + view.height) / ROW) + OVERSCAN);
  const current = Math.min(active, Math.max(0, items.length - 1));
  const inTabOrder = current >= first && current < last ? current : first;

  useEffect(() => {
    if (!wantsFocus.current) return;
    const row = scroller.current?.querySelector<HTMLElement>(`[data-index="${current}"]`);
    if (row === null || row === undefined) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });

  const goTo = (index: number): void => {
    const element = scroller.current;
    const target = Math.max(0, Math.min(items.length - 1, index));
    if (element === null) return;
    const top = target * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW + HEAD > element.scrollTop + element.clientHeight)
      element.scrollTop = top + ROW + HEAD - element.clientHeight;
    wantsFocus.current = true;
    setActive(target);
    setView({ top: element.scrollTop, height: element.clientHeight });
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor((view.height - HEAD) / ROW) - 1);
    const steps = new Map([
      ['ArrowDown', current + 1],
      ['ArrowUp', current - 1],
      ['PageDown', current + page],
      ['PageUp', current - page],
      ['Home', 0],
      ['End', items.length - 1],
    ]);
    const target = steps.get(event.key);
    if (target !== undefined) {
      event.preventDefault();
      goTo(target);
    } else if (event.key === 'Enter' && items[current] !== undefined) {
      location.hash = addressOf(items[current].id);
    }
  };

  const width = columns.reduce((sum, column) => sum + column.width, ID_WIDTH);
  return (
    <div
      class="table-scroll"
      ref={scroller}
      onScroll={({ currentTarget }) =>
        setView({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
      }
    >
      <table
        class="data"
        role="grid"
        aria-label={label}
        aria-rowcount={items.length + 1}
        style={{ width: `max(100%, ${width}px)` }}
      >
        <colgroup>
          <col style={{ width: `${ID_WIDTH}px` }} />
          {columns.map(({ key, width: columnWidth }) => (
            <col key={key} style={{ width: `${columnWidth}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <Heading column={{ key: 'id', title: t('ui_number') }} {...{ sort, descending, onSort }} />
            {columns.map((column) => (
              <Heading key={column.key} {...{ column, sort, descending, onSort }} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          <Spacer height={first * ROW} />
          {items.slice(first, last).map((item, offset) => {
            const index = first + offset;
            return (
              <tr
                key={item.id}
                class="item"
                data-index={index}
                data-id={item.id}
                aria-rowindex={index + 2}
                tabIndex={index === inTabOrder ? 0 : -1}
                onFocus={() => setActive(index)}
                onClick={() => (location.hash = addressOf(item.id))}
              >
                <td>
                  <a href={addressOf(item.id)} tabIndex={-1} aria-label={nameOf(item.id)}>
                    {item.id}
                  </a>
                </td>
                {columns.map((column) => (
                  <DataCell key={column.key} column={column} cell={item.cells[column.index] ?? null} />
                ))}
              </tr>
            );
          })}
          <Spacer height={(items.length - last) * ROW} />
        </tbody>
      </table>
    </div>
  );
}

const Spacer = ({ height }: { readonly height: number }): JSX.Element | null =>
  height <= 0 ? null : (
    <tr class="spacer" aria-hidden="true">
      <td style={{ height: `${height}px` }} />
    </tr>
  );

interface HeadingProperties {
  readonly column: { readonly key: string; readonly title: string; readonly as?: ShownColumn['as'] };
  readonly sort: string;
  readonly descending: boolean;
  readonly onSort: (key: string) => void;
}

function Heading({ column: { key, title, as }, sort, descending, onSort }: HeadingProperties): JSX.Element {
  const isSorted = sort === key;
  return (
    <th
      scope="col"
      class={as === 'number' ? 'numeric' : undefined}
      {...(isSorted ? { 'aria-sort': descending ? ('descending' as const) : ('ascending' as const) } : {})}
    >
      <button type="button" onClick={() => onSort(key)}>
        {title}
        {isSorted && (
          <span class="arrow" aria-hidden="true">
            {descending ? '↓' : '↑'}
          </span>
        )}
      </button>
    </th>
  );
}

function DataCell({ column, cell }: { readonly column: ShownColumn; readonly cell: Cell }): JSX.Element {
  const text = shown(column, cell);
  if (column.tone !== undefined && cell !== null)
    return (
      <td title={text}>
        <Chip tone={column.tone(cell)}>{text}</Chip>
      </td>
    );
  return (
    <td class={column.as === 'number' ? 'numeric' : undefined} title={text.length > 12 ? text : undefined}>
      {text}
    </td>
  );
}

function shown({ as, label }: Pick<ShownColumn, 'as' | 'label'>, cell: Cell): string {
  if (cell === null) return '';
  if (label !== undefined) return label(cell);
  if (as === 'time' && typeof cell === 'number') return showExactTime(cell);
  if (as === 'origin') return String(cell).split(', ').map(bare).join(', ');
  return String(cell);
}
