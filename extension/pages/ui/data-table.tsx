import type { JSX } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import type { Cell, Item } from '../tables/table';
import { t } from '../../i18n';
import { Chip } from './basics';
import { cellText, titleOf } from './cell-text';
import { useColumns, type LaidColumn, type ShownColumn } from './use-columns';
import { useOneStop } from './use-one-stop';
import { useRowsInView } from './use-rows-in-view';
import { useWholePages } from './use-whole-pages';

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
  /** Told the keys of the columns that the window has no room for. */
  readonly onHidden: (keys: readonly string[]) => void;
}

/**
 * A table of any length: only the rows in view are in the document. The headings are one stop of the Tab key, and the rows another; arrow
 * keys move on from there.
 */
export function DataTable({
  label,
  nameOf,
  columns: given,
  items,
  addressOf,
  onHidden,
  ...sorting
}: Properties): JSX.Element {
  const rows = useRowsInView(items.length);
  const inView = items.slice(rows.first, rows.last);
  const headings = useOneStop('th button');
  const idTitle = t('ui_number');
  const { idWidth, stuckWidth, columns, page, hidden } = useColumns(given, inView, {
    idTitle,
    sort: sorting.sort,
    available: rows.width,
  });
  const onScrollEnd = useWholePages(rows.scroller, page);
  useLayoutEffect(() => onHidden(hidden), [hidden.join()]);
  const width = columns.reduce((sum, column) => sum + column.width, idWidth);
  // Firefox makes what scrolls a stop of the Tab key unless told otherwise.
  return (
    <div
      class="table-scroll"
      ref={rows.scroller}
      onScroll={rows.onScroll}
      onScrollEnd={onScrollEnd}
      tabIndex={-1}
      style={{ '--stuck': `${stuckWidth}px` }}
    >
      <table
        class="data"
        aria-label={label}
        aria-rowcount={items.length + 1}
        style={{ width: `max(100%, ${width}px)`, '--id': `${idWidth}px` }}
      >
        <colgroup>
          <col style={{ width: `${idWidth}px` }} />
          {columns.map(({ key, width: columnWidth }) => (
            <col key={key} style={{ width: `${columnWidth}px` }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1} ref={headings}>
            <Heading column={{ key: 'id', title: idTitle }} {...sorting} />
            {columns.map((column) => (
              <Heading key={column.key} column={column} {...sorting} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={rows.onKeyDown}>
          <Spacer height={rows.first * rows.height} />
          {inView.map((item, offset) => {
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
          <Spacer height={(items.length - rows.last) * rows.height} />
        </tbody>
      </table>
    </div>
  );
}

interface RowProperties {
  readonly item: Item;
  readonly index: number;
  readonly columns: readonly LaidColumn[];
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
    onClick={() => (location.hash = address)}
  >
    <td class="stuck">
      <a href={address} tabIndex={isInTabOrder ? 0 : -1} aria-label={name} onFocus={onFocus}>
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
  readonly column: Pick<ShownColumn, 'key' | 'title' | 'as' | 'outcome'>;
  readonly sort: string;
  readonly descending: boolean;
  readonly onSort: (key: string) => void;
}

function Heading({
  column: { key, title, as, outcome },
  sort,
  descending,
  onSort,
}: HeadingProperties): JSX.Element {
  const isSorted = sort === key;
  const classes = [
    ...(as === 'number' ? ['numeric'] : []),
    ...(key === 'id' || outcome === true ? [stuck(outcome)] : []),
  ];
  return (
    <th
      scope="col"
      class={classes.join(' ') || undefined}
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

const stuck = (outcome?: true): string => (outcome === true ? 'stuck outcome' : 'stuck');

function DataCell({ column, cell }: { readonly column: LaidColumn; readonly cell: Cell }): JSX.Element {
  const { as, outcome, tone, room } = column;
  const text = cellText(column, cell, room);
  const classes = [
    ...(as === 'number' ? ['numeric'] : []),
    ...(outcome === true ? [stuck(true)] : []),
    ...(room.lines > 1 ? ['lines'] : []),
  ];
  return (
    <td title={titleOf(column, cell, text)} class={classes.join(' ') || undefined}>
      {tone !== undefined && cell !== null ? <Chip tone={tone(cell)}>{text}</Chip> : text}
    </td>
  );
}
