import type { JSX } from 'preact';
import { t, type MessageName } from '../i18n';
import type { Route } from '../pages/state/route';
import { later } from '../pages/ui/later';
import { view, type View } from '../pages/views/view';
import { Home } from './home';

// The name of a chunk is the path of its view.
const Workbench = later(
  async () =>
    (await import(/* webpackChunkName: "workbench" */ '../pages/views/workbench/workbench')).WorkbenchView,
);
const Estimates = later(
  async () => (await import(/* webpackChunkName: "estimates" */ './estimates')).Estimates,
);
const HowMany = later(async () => (await import(/* webpackChunkName: "people" */ './how-many')).HowMany);
const Toss = later(async () => (await import(/* webpackChunkName: "toss" */ './toss')).Toss);
const CouldTheyKnow = later(
  async () => (await import(/* webpackChunkName: "know" */ './could-they-know')).CouldTheyKnow,
);
const Attacks = later(async () => (await import(/* webpackChunkName: "attacks" */ './attacks')).Attacks);
const Cheating = later(async () => (await import(/* webpackChunkName: "cheating" */ './cheating')).Cheating);
const Worlds = later(
  async () => (await import(/* webpackChunkName: "worlds" */ '../pages/views/worlds')).Worlds,
);
const OpenFile = later(
  async () => (await import(/* webpackChunkName: "data" */ '../pages/views/open-file')).OpenFile,
);

interface ToolView extends View {
  /** Loads its code. */
  readonly prepare?: () => Promise<void>;
}

/** A view whose code is loaded when it is first shown. */
const tool = (
  path: string,
  title: MessageName,
  Shown: ((props: { readonly route: Route }) => JSX.Element) & Required<Pick<ToolView, 'prepare'>>,
): ToolView => ({
  ...view(path, title, 'tools', (route) => <Shown route={route} />),
  prepare: Shown.prepare,
});

/** What needs no file. The site opens with the first. */
export const toolViews: readonly ToolView[] = [
  view('home', 'site_home', 'tools', () => <Home />),
  tool('workbench', 'nav_workbench', Workbench),
  {
    ...tool('data', 'site_open', OpenFile),
    render: () => (
      <>
        <h1>{t('site_open')}</h1>
        <OpenFile />
      </>
    ),
  },
  tool('estimates', 'site_estimates', Estimates),
  tool('people', 'people', HowMany),
  tool('toss', 'toss', Toss),
  tool('know', 'know', CouldTheyKnow),
  tool('attacks', 'attacks', Attacks),
  tool('cheating', 'cheating', Cheating),
  tool('worlds', 'worlds', Worlds),
];
