import type { JSX } from 'preact';
import { columnIndex, type Item } from '../data/table';
import { sources } from '../data/tables/sources';
import type { TriggerEntry } from '../data/tables/triggers';
import { rich, t } from '../../i18n';
import { routeTo } from '../lib/route';
import { useDataset } from '../lib/session';
import { bare } from '../lib/words';
import { Card } from '../ui/basics';
import { linkTo } from '../ui/tags';

const MOST = 5;

const cell = ({ cells }: Item, key: string): string => String(cells[columnIndex(sources.columns, key)] ?? '');

/** For a trigger that found no source: stored sources that nearly match, and what differs. */
export function NearMisses({ entry }: { readonly entry: TriggerEntry }): JSX.Element {
  const dataset = useDataset(sources);
  const before = [...dataset.items.values()].filter((item) => Number(cell(item, 'time')) <= entry.time);
  const isHere = (item: Item): boolean => cell(item, 'destinations').split(', ').includes(entry.contextSite);
  const isTheirs = (item: Item): boolean => cell(item, 'reporting_origin') === entry.reportingOrigin;
  const misses = [
    ...before
      .filter((item) => isHere(item) && !isTheirs(item))
      .map((item) => ({
        item,
        why: 'misses_other_origin' as const,
        is: bare(cell(item, 'reporting_origin')),
        wanted: bare(entry.reportingOrigin),
      })),
    ...before
      .filter((item) => isTheirs(item) && !isHere(item))
      .map((item) => ({
        item,
        why: 'misses_other_destination' as const,
        is: cell(item, 'destinations').split(', ').map(bare).join(', '),
        wanted: bare(entry.contextSite),
      })),
  ].slice(0, MOST);
  return (
    <Card title={t('misses_title')}>
      {misses.length === 0 ? (
        <p class="soft">
          {rich('misses_none', {
            destination: bare(entry.contextSite),
            origin: bare(entry.reportingOrigin),
            link: linkTo('#/refused'),
          })}
        </p>
      ) : (
        <ul class="issues">
          {misses.map(({ item: { id }, why, is, wanted }) => (
            <li key={id}>{rich(why, { id, link: linkTo(routeTo(['sources', id])), is, wanted })}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}
