import { t } from '../../i18n';
import { AttributionView } from './attribution';
import { DataView } from './data';
import { DebugView } from './debug';
import { LeavesView } from './leaves';
import { OverviewView } from './overview/overview';
import { RequestsView } from './requests';
import { tableViews } from './table-views';
import type { View } from './view';
import { W3c } from './w3c/w3c';
import { WorkbenchView } from './workbench/workbench';
import { Worlds } from './worlds';

/** In the order of the navigation. The page opens with the first. */
export const views: readonly View[] = [
  {
    path: 'overview',
    title: t('nav_overview'),
    group: 'now',
    ofSite: true,
    render: () => <OverviewView />,
  },
  {
    path: 'leaves',
    title: t('nav_leaves'),
    group: 'now',
    ofSite: true,
    render: () => <LeavesView />,
  },
  {
    path: 'requests',
    title: t('nav_requests'),
    group: 'now',
    ofSite: true,
    ofTab: true,
    render: () => <RequestsView />,
  },
  ...tableViews,
  {
    path: 'attribution',
    title: t('nav_attribution'),
    group: 'tools',
    ofSite: true,
    render: (route) => <AttributionView route={route} />,
  },
  {
    path: 'workbench',
    title: t('nav_workbench'),
    group: 'tools',
    ofSite: false,
    render: (route) => <WorkbenchView route={route} />,
  },
  { path: 'w3c', title: t('nav_w3c'), group: 'tools', ofSite: false, render: () => <W3c /> },
  { path: 'worlds', title: t('worlds'), group: 'tools', ofSite: false, render: () => <Worlds /> },
  {
    path: 'debug',
    title: t('settings_debug_enabled_title'),
    group: 'tools',
    ofSite: true,
    render: () => <DebugView />,
  },
  { path: 'data', title: t('nav_data'), group: 'tools', ofSite: false, render: () => <DataView /> },
];
