import type { ComponentChildren, JSX } from 'preact';
import { Component } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { t } from '../../i18n';
import { Datasets, SessionContext, type Notice, type Session } from '../state/session';
import { useRoute } from '../state/use-route';
import { useNarrow } from '../../../ui/use-narrow';
import { bare, messageOf } from '../words/words';
import { Banner } from '../ui/banner';
import { Toast } from '../ui/toast';
import { viewOf, type View } from './view';

interface FrameProps {
  readonly session: Omit<Session, 'datasets' | 'notify'>;
  readonly views: readonly View[];
  /** What is wrong, shown until the next action; empty: nothing. */
  readonly problem: string;
  readonly setProblem: (problem: string) => void;
  /** The address of the picture beside the name. */
  readonly icon: string;
  readonly foot: ComponentChildren;
  /** Notices above and below the banner. */
  readonly above?: ComponentChildren;
  readonly below?: ComponentChildren;
}

/** Navigation, a banner of what differs from production, and one view. */
export function Frame({
  session: given,
  views,
  problem,
  setProblem,
  icon,
  foot,
  above,
  below,
}: FrameProps): JSX.Element {
  const route = useRoute();
  const [notice, setNotice] = useState<Notice | null>(null);
  const { reader, snapshot, overview, act, site, tab, truth } = given;
  const datasets = useMemo(
    () => new Datasets(reader, truth, (error) => setProblem(messageOf(error))),
    [reader, truth],
  );
  useEffect(() => () => datasets.close(), [datasets]);
  const view = viewOf(views, route);
  return (
    <SessionContext.Provider value={{ ...given, datasets, notify: setNotice }}>
      <a class="skip" href="#content" onClick={skipToContent}>
        {t('app_skip')}
      </a>
      <div class="shell">
        <Sidebar current={view} {...{ views, site, tab, icon, foot }} />
        <main
          class={view.fills?.(route) === true ? 'content table-page' : 'content'}
          id="content"
          tabIndex={-1}
        >
          <div class="notices">
            {above}
            <Banner overview={overview} />
            {below}
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

const groups = [
  ['now', t('nav_group_now')],
  ['recorded', t('nav_group_recorded')],
  ['tools', t('nav_group_tools')],
] as const;

function Sidebar({
  current,
  views,
  site,
  tab,
  icon,
  foot,
}: Pick<FrameProps, 'views' | 'icon' | 'foot'> &
  Pick<Session, 'site' | 'tab'> & { readonly current: View }): JSX.Element {
  const shown = views.filter(({ ofSite }) => site === null || ofSite);
  const nav = useRef<HTMLElement>(null);
  const isNarrow = useNarrow();
  // In a narrow window, the views are in one line that scrolls.
  useEffect(() => {
    const link = nav.current?.querySelector<HTMLElement>('[aria-current]');
    if (link != null) nav.current?.scrollTo({ left: link.offsetLeft - nav.current.clientWidth / 3 });
  }, [current, isNarrow]);
  return (
    <header class="sidebar">
      <div class="brand">
        <img src={icon} alt="" />
        {t('extensionName')}
      </div>
      {site !== null && (
        <p class="soft small">
          {tab !== null && current.ofTab === true
            ? t('app_only_tab')
            : t('app_only_site', { site: bare(site) })}
        </p>
      )}
      <nav aria-label={t('app_views')} class="stack" ref={nav}>
        {groups.map(([group, heading]) => {
          const inGroup = shown.filter((view) => view.group === group);
          return inGroup.length === 0 ? null : (
            <div key={group}>
              <p class="group">{heading}</p>
              <ul>
                {inGroup.map(({ path, title }) => (
                  <li key={path}>
                    <a href={`#/${path}`} aria-current={current.path === path ? 'page' : undefined}>
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            </div>
          );
        })}
      </nav>
      <div class="foot small">{foot}</div>
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
