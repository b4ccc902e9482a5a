import type { JSX } from 'preact';
import { Menu } from '../../../ui/menu';
import { useNarrow } from '../../../ui/use-narrow';
import { MOST_GROUPS } from '../../questions/limits';
import { isFiltered, toggled, type View } from './address';
import type { DimensionsAnswer } from '../../http/answers';
import { t } from './language';
import { showCount, showValue, titleOf } from './words';

interface Properties {
  readonly view: View;
  readonly dimensions: DimensionsAnswer;
  readonly group: string;
  /** The columns that posted results have sums by. */
  readonly columns: readonly string[];
  readonly goTo: (view: View) => void;
}

/** What to show, and how to group it. In a narrow window, where they would fill it, the filters are folded. */
export function Filters(properties: Properties): JSX.Element {
  return (
    <form class="toolbar filters" aria-label={t('filters')} onSubmit={(event) => event.preventDefault()}>
      {useNarrow() ? (
        <details class={isFiltered(properties.view) ? 'menu active' : 'menu'}>
          <summary>{t('filters')}</summary>
          <div class="row">
            <Choices {...properties} />
          </div>
        </details>
      ) : (
        <Choices {...properties} />
      )}
      <GroupBy {...properties} />
    </form>
  );
}

const Choices = ({ view, dimensions: { dimensions, configurations }, goTo }: Properties): JSX.Element => (
  <>
    <Day id="from" label={t('from')} value={view.from} onChange={(from) => goTo({ ...view, from })} />
    <Day id="to" label={t('to')} value={view.to} onChange={(to) => goTo({ ...view, to })} />
    {dimensions
      .filter(({ name, distinct }) => distinct > 1 || view.is.has(name))
      .map(({ name, values, distinct }) => {
        const chosen = view.is.get(name);
        return (
          <Menu
            key={name}
            title={
              chosen === undefined
                ? titleOf(name)
                : t('chosen', { property: titleOf(name), count: chosen.size })
            }
            active={chosen !== undefined}
          >
            {values.map(({ value, sources }) => (
              <label key={value}>
                <input
                  type="checkbox"
                  checked={chosen?.has(value) === true}
                  onChange={() => goTo(toggled(view, name, value))}
                />
                {showValue(name, value, configurations)}
                <span class="number">{showCount(sources)}</span>
              </label>
            ))}
            {distinct > values.length && (
              <span class="soft small">{t('more-values', { count: distinct - values.length })}</span>
            )}
          </Menu>
        );
      })}
    {isFiltered(view) && (
      <button type="button" class="plain" onClick={() => goTo({ ...view, from: '', to: '', is: new Map() })}>
        {t('clear-filters')}
      </button>
    )}
  </>
);

const GroupBy = ({ view, dimensions: { dimensions }, group, columns, goTo }: Properties): JSX.Element => (
  <label class="row group-by">
    {t('group-by')}
    <select
      id="group"
      value={group}
      onChange={({ currentTarget }) => goTo({ ...view, group: currentTarget.value })}
    >
      {[...new Set(['destination', ...dimensions.map(({ name }) => name), ...columns, group])].map((name) => {
        const groups = dimensions.find((dimension) => dimension.name === name)?.distinct ?? 0;
        return (
          <option key={name} value={name} disabled={groups > MOST_GROUPS}>
            {groups > MOST_GROUPS
              ? t('too-many-groups', { property: titleOf(name), count: groups })
              : titleOf(name)}
          </option>
        );
      })}
    </select>
  </label>
);

const Day = ({
  id,
  label,
  value,
  onChange,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  readonly onChange: (day: string) => void;
}): JSX.Element => (
  <label class="row">
    {label}
    <input
      type="date"
      id={id}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  </label>
);
