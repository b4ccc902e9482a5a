import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { facetCounts, type Selection } from '../tables/select';
import type { Cell, Item, Placed } from '../tables/table';
import { t } from '../../i18n';
import { bare, showNumber } from '../words/words';
import type { Menu } from '../../../ui/menu';
import type { Fold } from './fold';

/** The most values that a menu lists. Among more, searching is quicker. */
const MOST_VALUES = 50;

interface FacetColumn extends Placed {
  readonly title: string;
  readonly label?: (cell: Cell) => string;
}

/** One menu, or fold of a menu, for each column whose values can be chosen. */
export function Facets({
  columns,
  items,
  facets,
  shape: Part,
  onChange,
}: {
  readonly columns: readonly FacetColumn[];
  /** The items that match the rest of the selection. */
  readonly items: readonly Item[];
  readonly facets: Selection['facets'];
  readonly shape: typeof Menu | typeof Fold;
  readonly onChange: (facets: Selection['facets']) => void;
}): JSX.Element {
  const toggle = (key: string, value: string): void => {
    const values = new Set(facets.get(key) ?? []);
    if (!values.delete(value)) values.add(value);
    const changed = new Map(facets);
    if (values.size === 0) changed.delete(key);
    else changed.set(key, values);
    onChange(changed);
  };
  return (
    <>
      {columns.map((column) => {
        const chosen = facets.get(column.key);
        return (
          <Part
            key={column.key}
            title={
              chosen === undefined
                ? column.title
                : t('ui_facet_chosen', { title: column.title, n: chosen.size })
            }
            active={chosen !== undefined}
          >
            <FacetValues
              items={items}
              column={column}
              chosen={chosen}
              onToggle={(value) => toggle(column.key, value)}
            />
          </Part>
        );
      })}
    </>
  );
}

function FacetValues({
  items,
  column,
  chosen,
  onToggle,
}: {
  readonly items: readonly Item[];
  readonly column: FacetColumn;
  readonly chosen: ReadonlySet<string> | undefined;
  readonly onToggle: (value: string) => void;
}): JSX.Element {
  const counts = useMemo(() => facetCounts(items, [column], column.key), [items, column.index, column.key]);
  return (
    <>
      {counts.slice(0, MOST_VALUES).map(([value, count]) => (
        <label key={value}>
          <input type="checkbox" checked={chosen?.has(value) === true} onChange={() => onToggle(value)} />
          {value === '' ? t('ui_facet_none') : (column.label?.(value) ?? bare(value))}
          <span class="number">{showNumber(count)}</span>
        </label>
      ))}
      {counts.length === 0 && <span class="soft">{t('ui_facet_nothing')}</span>}
      {counts.length > MOST_VALUES && (
        <span class="soft">{t('ui_facet_more', { n: counts.length - MOST_VALUES })}</span>
      )}
    </>
  );
}
