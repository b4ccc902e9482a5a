import type { JSX } from 'preact';
import type { IgnoredReason } from '../../../../formats/codec/mistakes';
import type { LogEntry } from '../../../../src/model/decision';
import { destinationsInHeader } from '../../../erasing/named-sites';
import { t } from '../../../i18n';
import type { Overview } from '../../../messages';
import type { Reader } from '../../data/reader';
import { routeTo } from '../../state/route';
import { Chip } from '../../ui/basics';
import { outcomeOf } from '../../words/outcome';
import { whatOf } from '../../words/what';
import { bare, showDistance } from '../../words/words';
import { Link } from './link';

const LATEST = 4;
/** How many of the newest log entries are searched for the site's latest. */
const LATEST_SEARCHED = 300;
/** In ms: how long ago the click that led to the page may be. */
const JUST_BEFORE = 300_000;
/** Why the log ignores what only navigations have. */
const OF_NAVIGATIONS: readonly IgnoredReason['code'][] = [
  'no-eligible-click',
  'no-navigation',
  'no-source-on-way',
  'other-scopes',
  'trigger-on-redirect',
];

export interface Latest {
  readonly here: readonly LogEntry[];
  /** Clicks on other sites, just before, that may have led here. */
  readonly elsewhere: readonly LogEntry[];
}

/** The newest entries of the log, for a page of this site. */
export async function latestOn(reader: Reader, site: string | null, now: number): Promise<Latest> {
  const ids = (await reader.ids('log')).slice(-LATEST_SEARCHED);
  const [first, last] = [ids[0], ids.at(-1)];
  if (site === null || first === undefined || last === undefined) return { here: [], elsewhere: [] };
  const entries = await reader.range('log', first, last);
  const newest = (isIt: (entry: LogEntry) => boolean): readonly LogEntry[] =>
    entries.filter(isIt).slice(-LATEST).reverse();
  return {
    here: newest(({ contextSite }) => contextSite === site),
    elsewhere: newest(
      (entry) =>
        entry.contextSite !== site &&
        entry.time > now - JUST_BEFORE &&
        entry.time <= now &&
        mayHaveLedTo(site, entry),
    ),
  };
}

/** Without a destination, the log does not know where a click ended, because ad servers redirect it. */
function mayHaveLedTo(site: string, entry: LogEntry): boolean {
  const destinations: readonly string[] = destinationsInHeader(entry.header);
  const isHere = destinations.includes(site);
  if ('sourceType' in entry) return isHere && entry.sourceType === 'navigation';
  return (
    entry.kind === 'ignored' &&
    OF_NAVIGATIONS.includes(entry.reason.code) &&
    (isHere || destinations.length === 0)
  );
}

/** Entries of the log. Those of other sites name theirs. */
export const Entries = ({
  id: list,
  entries,
  overview,
}: {
  readonly id: 'latest' | 'elsewhere';
  readonly entries: readonly LogEntry[];
  readonly overview: Overview;
}): JSX.Element => (
  <ul class="latest small" id={list}>
    {entries.map((entry) => {
      const { id, contextSite, time } = entry;
      const { tone, words } = outcomeOf(entry, overview.debugEnabled);
      return (
        <li key={id}>
          <Link to={`internals.html${routeTo(['log', id])}`}>
            {t('popup_entry', { what: whatOf(entry), id })}
          </Link>
          {list === 'elsewhere' && <span class="break">{bare(contextSite)}</span>}
          <Chip tone={tone}>{words}</Chip>
          <span class="soft">{showDistance(overview.now, time)}</span>
        </li>
      );
    })}
  </ul>
);
