import type { JSX } from 'preact';
import { columnIndex, type Item } from '../data/table';
import { sources } from '../data/tables/sources';
import type { TriggerEntry } from '../data/tables/triggers';
import { routeTo } from '../lib/route';
import { useDataset } from '../lib/session';
import { bare } from '../lib/words';
import { Card } from '../ui/basics';

const MOST = 5;

const cell = ({ cells }: Item, key: string): string => String(cells[columnIndex(sources.columns, key)] ?? '');

/** For a conversion that found no source: those that are kept and nearly fit, and what is different. */
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
        why: `is for this destination, but of ${bare(cell(item, 'reporting_origin'))} instead of ${bare(entry.reportingOrigin)}`,
      })),
    ...before
      .filter((item) => isTheirs(item) && !isHere(item))
      .map((item) => ({
        item,
        why: `is of this reporting origin, but for ${cell(item, 'destinations').split(', ').map(bare).join(', ')} instead of ${bare(entry.contextSite)}`,
      })),
  ].slice(0, MOST);
  return (
    <Card title="Sources that nearly fit">
      {misses.length === 0 ? (
        <p class="soft">
          None that is still kept is for {bare(entry.contextSite)} or of {bare(entry.reportingOrigin)}. It may
          have expired, lost to another source at an earlier conversion, or never have been registered: see{' '}
          <a href="#/refused">what was refused</a>.
        </p>
      ) : (
        <ul class="issues">
          {misses.map(({ item, why }) => (
            <li key={item.id}>
              <a href={routeTo(['sources', item.id])}>Source {item.id}</a> {why}.
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
