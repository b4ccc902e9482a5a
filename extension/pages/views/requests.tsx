import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import browser from 'webextension-polyfill';
import type { LogEntry } from '../../../src/model/decision';
import { siteOfUrl } from '../../../src/model/site';
import { download } from '../tables/export';
import { toHar } from '../data/har';
import { asTree, depths, MOST_HOPS, type Hop } from '../data/request-tree';
import { cameToNothing, isRelevant, type ShownHops } from '../explain/eligible';
import { outcomeOf } from '../words/outcome';
import { t } from '../../i18n';
import { useSession } from '../state/session';
import { useLoaded } from '../state/use-stored';
import { useRequests } from '../state/use-requests';
import { emptyWords } from '../words/empty-words';
import { bare, showNumber } from '../words/words';
import { Chip, Empty } from '../ui/basics';
import { fitted } from '../ui/fit';
import { RequestDetails } from './request-details';
import { Select } from '../../../ui/select';

const shownHops: readonly (readonly [ShownHops, string])[] = [
  ['relevant', t('requests_show_relevant')],
  ['nothing', t('requests_show_nothing')],
  ['all', t('requests_show_all')],
];

/** The entries of the log that the hops led to, by id. */
function useEntries(hops: readonly Hop[]): ReadonlyMap<number, LogEntry> {
  const { reader } = useSession();
  const ids = [...new Set(hops.flatMap(({ decision }) => decision?.entry ?? []))];
  const found = useLoaded(
    async () => (await Promise.all(ids.map((id) => reader.get('log', id)))).flatMap((entry) => entry ?? []),
    [reader, ids.join()],
  );
  return useMemo(() => new Map(found?.map((entry) => [entry.id, entry])), [found]);
}

/** Every request and redirect while this is open: at the left the list, at the right why. */
export function RequestsView(): JSX.Element {
  const { snapshot } = useSession();
  return (
    <>
      <h1>{t('nav_requests')}</h1>
      {snapshot === null ? <Live /> : <Empty>{t('requests_not_in_file')}</Empty>}
    </>
  );
}

function Live(): JSX.Element {
  const { overview, site, tab, truth } = useSession();
  const [isPaused, setIsPaused] = useState(false);
  const [query, setQuery] = useState('');
  const [which, setWhich] = useState<ShownHops>('relevant');
  const [selected, setSelected] = useState<number | null>(null);
  const { hops, clear } = useRequests(isPaused);
  const entries = useEntries(hops);
  const outcome = (hop: Hop): ReturnType<typeof outcomeOf> | null => {
    const entry = entries.get(hop.decision?.entry ?? -1);
    return entry === undefined ? null : outcomeOf(entry, truth);
  };
  // A list of one tab or site leaves the requests of the others alone.
  const isWhole = tab === null && site === null;
  const ofSite = ({ page, url }: Hop): boolean =>
    site === null || site === siteOfUrl(page ?? '') || site === siteOfUrl(url);
  // Requests of workers are in no tab.
  const own = hops.filter((hop) => (tab === null || hop.tabId < 0 ? ofSite(hop) : hop.tabId === tab));
  const isShown = (hop: Hop): boolean =>
    `${hop.method} ${hop.url}`.toLowerCase().includes(query.toLowerCase()) &&
    (which === 'all' || (which === 'relevant' ? isRelevant(hop) : cameToNothing(hop, outcome(hop))));
  const shown = asTree(own.filter(isShown));
  const depthOf = depths(shown);
  const chosen = shown.find(({ id }) => id === selected);
  return (
    <div class="requests">
      <div class="toolbar">
        <input
          type="search"
          id="search"
          value={query}
          placeholder={t('requests_search')}
          aria-label={t('requests_search')}
          spellcheck={false}
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
        <Select
          id="which"
          aria-label={t('requests_which')}
          of={shownHops}
          value={which}
          onChoose={setWhich}
        />
        <button type="button" id="pause" aria-pressed={isPaused} onClick={() => setIsPaused(!isPaused)}>
          {t(isPaused ? 'requests_paused' : 'requests_pause')}
        </button>
        <button type="button" id="clear" onClick={() => clear(isWhole ? null : own)}>
          {t('requests_clear')}
        </button>
        <button
          type="button"
          id="har"
          disabled={shown.length === 0}
          onClick={() =>
            download(
              'cointoss-requests.har',
              'application/json',
              JSON.stringify(
                toHar(shown, browser.runtime.getManifest().version, (hop) => outcome(hop)?.key ?? null),
                null,
                2,
              ),
            )
          }
        >
          {t('requests_har')}
        </button>
        <span class="count" id="count" role="status">
          {t('requests_count', { shown: shown.length, n: own.length })}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty>
          {own.length === 0 ? emptyWords(overview, t('requests_none')) : t('requests_none_shown')}
        </Empty>
      ) : (
        <div class="request-panes">
          <ol class="hops" aria-label={t('nav_requests')}>
            {shown.map((hop) => (
              <HopLine
                key={hop.id}
                hop={hop}
                depth={depthOf.get(hop.id) ?? 0}
                outcome={outcome(hop)}
                isChosen={hop.id === selected}
                onChoose={() => setSelected(hop.id)}
              />
            ))}
          </ol>
          <div class="stack" id="request">
            {chosen === undefined ? (
              <Empty>{t('requests_choose')}</Empty>
            ) : (
              <RequestDetails hop={chosen} entry={entries.get(chosen.decision?.entry ?? -1)} />
            )}
          </div>
        </div>
      )}
      {/* Last: the developer tools may leave little room. */}
      <p class="soft small" id="kept">
        {t('requests_kept', { n: showNumber(MOST_HOPS), debug: String(overview.debugEnabled) })}
      </p>
    </div>
  );
}

/** In characters: some two lines. */
const LONGEST_URL = { width: 90, lines: 1 } as const;

const shortened = (url: string): string => fitted(bare(url), LONGEST_URL, ({ length }) => length);

function HopLine({
  hop,
  depth,
  outcome,
  isChosen,
  onChoose,
}: {
  readonly hop: Hop;
  readonly depth: number;
  readonly outcome: ReturnType<typeof outcomeOf> | null;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}): JSX.Element {
  const { status, error, method, url } = hop;
  return (
    <li style={{ marginLeft: `${Math.min(depth, 8) * 14}px` }} data-depth={depth} data-url={url}>
      <button type="button" class="hop" aria-pressed={isChosen} onClick={onChoose}>
        <span class="status">{error === null ? (status ?? '…') : t('requests_failed')}</span>
        <span class="method">{method}</span>
        <span class="url" title={url}>
          {shortened(url)}
        </span>
        {outcome !== null && <Chip tone={outcome.tone}>{outcome.words}</Chip>}
      </button>
    </li>
  );
}
