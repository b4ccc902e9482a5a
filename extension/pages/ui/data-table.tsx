import type { JSX } from 'preact';
import type { Cell, Item } from '../data/table';
import { t } from '../../i18n';
import { useNarrow } from '../../../ui/use-narrow';
import { bare, showExactTime, showShortTime } from '../lib/words';
import { Chip } from './basics';
import { useOneStop } from './use-one-stop';
import { ROW, useRowsInView } from './use-rows-in-view';

interface ShownColumn {
  readonly key: string;
  readonly title: string;
  readonly as?: 'time' | 'number' | 'origin';
  readonly label?: (cell: Cell) => string;
  readonly tone?: (cell: Cell) => 'good' | 'warn' | 'bad' | 'soft' | undefined;
  readonly outcome?: true;
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
/** In a narrow window, what stays in view leaves room for the rest. */
const NARROW_ID_WIDTH = 56;
const NARROW_OUTCOME_WIDTH = 112;

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
  ...sorting
}: Properties): JSX.Element {
  const rows = useRowsInView(items.length);
  const headings = useOneStop('th button');
  const [idWidth, columns] = useArranged(given);
  const width = columns.reduce((sum, column) => sum + column.width, idWidth);
  // Firefox makes what scrolls a stop of the Tab key unless told otherwise.
  return (
    <div class="table-scroll" ref={rows.scroller} onScroll={rows.onScroll} tabIndex={-1}>
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
            <Heading column={{ key: 'id', title: t('ui_number') }} {...sorting} />
            {columns.map((column) => (
              <Heading key={column.key} column={column} {...sorting} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={rows.onKeyDown}>
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

/** The outcome comes first, where it stays in view. */
function useArranged(
  given: readonly ShownColumn[],
): readonly [idWidth: number, columns: readonly ShownColumn[]] {
  const narrow = useNarrow();
  const outcomes = given.filter(({ outcome }) => outcome === true);
  const others = given.filter(({ outcome }) => outcome !== true);
  if (!narrow) return [ID_WIDTH, [...outcomes, ...others]];
  return [
    NARROW_ID_WIDTH,
    [...outcomes.map((column) => ({ ...column, width: NARROW_OUTCOME_WIDTH })), ...others],
  ];
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
  return (
    <th
      scope="col"
      class={as === 'number' ? 'numeric' : key === 'id' || outcome === true ? stuck(outcome) : undefined}
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

function DataCell({ column, cell }: { readonly column: ShownColumn; readonly cell: Cell }): JSX.Element {
  const text = shown(column, cell);
  if (column.tone !== undefined && cell !== null)
    return (
      <td title={text} class={column.outcome === true ? stuck(true) : undefined}>
        <Chip tone={column.tone(cell)}>{text}</Chip>
      </td>
    );
  return (
    <td class={column.as === 'number' ? 'numeric' : undefined} title={titleOf(column, cell, text)}>
      {text}
    </td>
  );
}

function shown({ as, label }: Pick<ShownColumn, 'as' | 'label'>, cell: Cell): string {
  if (cell === null) return '';
  if (label !== undefined) return label(cell);
  if (as === 'time' && typeof cell === 'number') return showShortTime(cell);
  if (as === 'origin') return String(cell).split(', ').map(bare).join(', ');
  return String(cell);
}

/** What does not fit, or is shortened. */
const titleOf = ({ as }: ShownColumn, cell: Cell, text: string): string | undefined =>
  as === 'time' && typeof cell === 'number' ? showExactTime(cell) : text.length > 12 ? text : undefined;
