import { t } from '../i18n';
import { later } from '../pages/ui/later';
import type { View } from '../pages/views/view';
import { Home } from './home';

const Workbench = later(async () => (await import('../pages/views/workbench')).WorkbenchView);
const Estimates = later(async () => (await import('./estimates')).Estimates);
const Toss = later(async () => (await import('./toss')).Toss);
const CouldTheyKnow = later(async () => (await import('./could-they-know')).CouldTheyKnow);
const Worlds = later(async () => (await import('../pages/views/worlds')).Worlds);
const OpenFile = later(async () => (await import('../pages/views/open-file')).OpenFile);

/** What needs no file. The site opens with the first. */
export const toolViews: readonly View[] = [
  { path: 'home', title: t('site_home'), group: 'tools', ofSite: false, render: () => <Home /> },
  {
    path: 'workbench',
    title: t('nav_workbench'),
    group: 'tools',
    ofSite: false,
    render: (route) => <Workbench route={route} />,
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
  },
  {
    path: 'estimates',
    title: t('site_estimates'),
    group: 'tools',
    ofSite: false,
    render: () => <Estimates />,
  },
  { path: 'toss', title: t('toss'), group: 'tools', ofSite: false, render: () => <Toss /> },
  { path: 'know', title: t('know'), group: 'tools', ofSite: false, render: () => <CouldTheyKnow /> },
  { path: 'worlds', title: t('worlds'), group: 'tools', ofSite: false, render: () => <Worlds /> },
];
