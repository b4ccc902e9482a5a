import type { ComponentChildren, JSX } from 'preact';
import { Component } from 'preact';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Settings } from '../../../src/model/settings';
import type { Snapshot } from '../snapshot/snapshot';
import type { Overview } from '../../messages';
import { snapshotOverview } from '../data/snapshot-overview';
import { snapshotReader, type Reader } from '../data/reader';
import { askOverview, askSettings } from '../lib/ask';
import { t } from '../../i18n';
import { useAct } from '../lib/use-act';
import { useRoute } from '../lib/use-route';
import { Datasets, SessionContext, type Notice, type Session } from '../lib/session';
import { bare, messageOf, showExactTime } from '../lib/words';
import { Banner } from '../ui/banner';
import { StandingNotice } from '../ui/standing';
import { Toast } from '../ui/toast';
import { viewOf, views, type View } from './navigation';

const REFRESH = 2000;

/** The internals page: navigation, a banner of what differs from production, and one view. */
export function App({
  reader: live,
  site = null,
}: {
  readonly reader: Reader;
  readonly site?: string | null;
}): JSX.Element | null {
  const route = useRoute();
  const [state, setState] = useState<{ overview: Overview; settings: Settings } | null>(null);
  const [snapshot, setSnapshot] = useState<Snapshot | null>(null);
  const [notice, setNotice] = useState<Notice | null>(null);

  const refresh = useCallback(async (): Promise<void> => {
    const [overview, settings] = await Promise.all([askOverview(site), askSettings()]);
    setState({ overview, settings });
  }, [site]);
  const { act, problem, setProblem } = useAct(refresh);
  useEffect(() => {
    act(() => Promise.resolve());
    const stop = live.onChange(() => void refresh().catch(() => undefined));
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible')
        void refresh().catch((error: unknown) => setProblem(messageOf(error)));
    }, REFRESH);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [act, live, refresh]);

  const reader = useMemo(() => (snapshot === null ? live : snapshotReader(snapshot)), [snapshot, live]);
  const datasets = useMemo(() => new Datasets(reader, (error) => setProblem(messageOf(error))), [reader]);
  useEffect(() => () => datasets.close(), [datasets]);
  if (state === null) return problem === '' ? null : <p class="banner error">{problem}</p>;

  const overview = snapshot === null ? state.overview : snapshotOverview(snapshot);
  const session: Session = {
    reader,
    overview,
    settings: snapshot?.settings ?? state.settings,
    snapshot,
    open: (opened) => {
      setSnapshot(opened);
      location.hash = opened === null ? '#/data' : '#/overview';
    },
    truth: snapshot === null ? overview.debugEnabled : snapshot.truth,
    site,
    datasets,
    act,
    notify: setNotice,
  };
  const view = viewOf(route);
  return (
    <SessionContext.Provider value={session}>
      <a class="skip" href="#content" onClick={skipToContent}>
        {t('app_skip')}
      </a>
      <div class="shell">
        <Sidebar current={view} site={site} />
        <main
          class={view.fills?.(route) === true ? 'content table-page' : 'content'}
          id="content"
          tabIndex={-1}
        >
          <div class="notices">
            {snapshot === null && <StandingNotice overview={overview} />}
            <Banner overview={overview} />
            {snapshot !== null && <OpenFile snapshot={snapshot} onClose={() => session.open(null)} />}
            <p class="banner error" id="problem" role="alert" hidden={problem === ''}>
              {problem}
            </p>
          </div>
          <Boundary key={`${route.path.join('/')} ${snapshot === null}`}>{view.render(route)}</Boundary>
        </main>
      </div>
      {notice !== null && <Toast notice={notice} act={act} onEnd={() => setNotice(null)} />}
    </SessionContext.Provider>
  );
}

/** A normal link cannot be used, because the fragment names the view. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

const OpenFile = ({
  snapshot,
  onClose,
}: {
  readonly snapshot: Snapshot;
  readonly onClose: () => void;
}): JSX.Element => (
  <p class="banner info row spread" id="open-banner">
    <span>
      {t('app_file_open', { time: showExactTime(snapshot.time), truth: snapshot.truth ? 'with' : 'without' })}
    </span>
    <button type="button" onClick={onClose}>
      {t('app_close_file')}
    </button>
  </p>
);

const groups = [
  ['now', t('nav_group_now')],
  ['recorded', t('nav_group_recorded')],
  ['tools', t('nav_group_tools')],
] as const;

function Sidebar({ current, site }: { readonly current: View; readonly site: string | null }): JSX.Element {
  const shown = views.filter(({ ofSite }) => site === null || ofSite);
  const nav = useRef<HTMLElement>(null);
  return (
    <header class="sidebar">
      <div class="brand">
        <img src="../icons/48.png" alt="" />
        {t('extensionName')}
      </div>
      {site !== null && <p class="soft small">{t('app_only_site', { site: bare(site) })}</p>}
      <nav aria-label={t('app_views')} ref={nav} class="stack">
        {groups.map(([group, heading]) => (
          <div key={group}>
            <p class="group">{heading}</p>
            <ul>
              {shown
                .filter((view) => view.group === group)
                .map(({ path, title }) => (
                  <li key={path}>
                    <a href={`#/${path}`} aria-current={current.path === path ? 'page' : undefined}>
                      {title}
                    </a>
                  </li>
                ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="foot small">
        <a href="options.html" target="_blank" rel="noreferrer">
          {t('app_options')}
        </a>
      </div>
    </header>
  );
}

/** Keeps the page working when a view fails. An opened file may hold anything. */
class Boundary extends Component<{ readonly children: ComponentChildren }, { problem: string }> {
  override state = { problem: '' };

  override componentDidCatch(error: unknown): void {
    this.setState({ problem: messageOf(error) });
  }

  override render(): ComponentChildren {
    if (this.state.problem === '') return this.props.children;
    return <p class="banner error">{t('app_cannot_show', { problem: this.state.problem })}</p>;
  }
}
