import type { JSX } from 'preact';
import type { Cell, Item } from '../data/table';
import { t } from '../../i18n';
import { bare, showExactTime } from '../lib/words';
import { Chip } from './basics';
import { ROW, useRowsInView } from './use-rows-in-view';

interface ShownColumn {
  readonly key: string;
  readonly title: string;
  readonly as?: 'time' | 'number' | 'origin';
  readonly label?: (cell: Cell) => string;
  readonly tone?: (cell: Cell) => 'good' | 'warn' | 'bad' | 'soft' | undefined;
  readonly width: number;
  /** Its index in an item's cells. */
  readonly index: number;
}

interface Properties {
  readonly label: string;
  /** A row's name for screen readers. */
  readonly nameOf: (id: number) => string;
  readonly columns: readonly ShownColumn[];
  readonly items: readonly Item[];
  readonly sort: string;
  readonly descending: boolean;
  readonly onSort: (key: string) => void;
  readonly addressOf: (id: number) => string;
}

const ID_WIDTH = 76;

/** A table of any length: only the rows in view are in the document. One row is in the tab order; arrow keys move on. */
export function DataTable({ label, nameOf, columns, items, addressOf, ...sorting }: Properties): JSX.Element {
  const rows = useRowsInView(items.length);
  const onKeyDown = (event: KeyboardEvent): void => {
    const item = items[rows.current];
    if (event.key === 'Enter' && item !== undefined) location.hash = addressOf(item.id);
    else rows.onKeyDown(event);
  };
  const width = columns.reduce((sum, column) => sum + column.width, ID_WIDTH);
  return (
    <div class="table-scroll" ref={rows.scroller} onScroll={rows.onScroll}>
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
            <Heading column={{ key: 'id', title: t('ui_number') }} {...sorting} />
            {columns.map((column) => (
              <Heading key={column.key} column={column} {...sorting} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          <Spacer height={rows.first * ROW} />
          {items.slice(rows.first, rows.last).map((item, offset) => {
            const index = rows.first + offset;
            return (
              <Row
                key={item.id}
                {...{ item, index, columns }}
                address={addressOf(item.id)}
                name={nameOf(item.id)}
                isInTabOrder={index === rows.inTabOrder}
                onFocus={() => rows.setActive(index)}
              />
            );
          })}
          <Spacer height={(items.length - rows.last) * ROW} />
        </tbody>
      </table>
    </div>
  );
}

interface RowProperties {
  readonly item: Item;
  readonly index: number;
  readonly columns: readonly ShownColumn[];
  readonly address: string;
  readonly name: string;
  readonly isInTabOrder: boolean;
  readonly onFocus: () => void;
}

const Row = ({ item, index, columns, address, name, isInTabOrder, onFocus }: RowProperties): JSX.Element => (
  <tr
    class="item"
    data-index={index}
    data-id={item.id}
    aria-rowindex={index + 2}
    tabIndex={isInTabOrder ? 0 : -1}
    onFocus={onFocus}
    onClick={() => (location.hash = address)}
  >
    <td>
      <a href={address} tabIndex={-1} aria-label={name}>
        {item.id}
      </a>
    </td>
    {columns.map((column) => (
      <DataCell key={column.key} column={column} cell={item.cells[column.index] ?? null} />
    ))}
  </tr>
);

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
