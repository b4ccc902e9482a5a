import { t } from '../i18n';
import { later } from '../pages/ui/later';
import type { View } from '../pages/views/view';
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

/** What needs no file. The site opens with the first. */
export const toolViews: readonly ToolView[] = [
  { path: 'home', title: t('site_home'), group: 'tools', ofSite: false, render: () => <Home /> },
  {
    path: 'workbench',
    title: t('nav_workbench'),
    group: 'tools',
    ofSite: false,
    render: (route) => <Workbench route={route} />,
    prepare: Workbench.prepare,
  },
  {
    path: 'data',
    title: t('site_open'),
    group: 'tools',
    ofSite: false,
    render: () => (
      <>
        <h1>{t('site_open')}</h1>
        <OpenFile />
      </>
    ),
    prepare: OpenFile.prepare,
  },
  {
    path: 'estimates',
    title: t('site_estimates'),
    group: 'tools',
    ofSite: false,
    render: () => <Estimates />,
    prepare: Estimates.prepare,
  },
  {
    path: 'people',
    title: t('people'),
    group: 'tools',
    ofSite: false,
    render: () => <HowMany />,
    prepare: HowMany.prepare,
  },
  {
    path: 'toss',
    title: t('toss'),
    group: 'tools',
    ofSite: false,
    render: () => <Toss />,
    prepare: Toss.prepare,
  },
  {
    path: 'know',
    title: t('know'),
    group: 'tools',
    ofSite: false,
    render: () => <CouldTheyKnow />,
    prepare: CouldTheyKnow.prepare,
  },
  {
    path: 'attacks',
    title: t('attacks'),
    group: 'tools',
    ofSite: false,
    render: () => <Attacks />,
    prepare: Attacks.prepare,
  },
  {
    path: 'worlds',
    title: t('worlds'),
    group: 'tools',
    ofSite: false,
    render: () => <Worlds />,
    prepare: Worlds.prepare,
  },
];
