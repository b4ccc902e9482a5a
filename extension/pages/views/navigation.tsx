import { AttributionView } from './attribution';
import { DataView } from './data';
import { DebugView } from './debug';
import { LeavesView } from './leaves';
import { OverviewView } from './overview/overview';
import { RequestsView } from './requests';
import { tableViews } from './table-views';
import { view, type View } from './view';
import { W3c } from './w3c/w3c';
import { WorkbenchView } from './workbench/workbench';
import { Worlds } from './worlds';

const ofSite = { ofSite: true };

/** In the order of the navigation. The page opens with the first. */
export const views: readonly View[] = [
  view('overview', 'nav_overview', 'now', () => <OverviewView />, ofSite),
  view('leaves', 'nav_leaves', 'now', () => <LeavesView />, ofSite),
  view('requests', 'nav_requests', 'now', () => <RequestsView />, { ...ofSite, ofTab: true }),
  ...tableViews,
  view('attribution', 'nav_attribution', 'tools', (route) => <AttributionView route={route} />, ofSite),
  view('workbench', 'nav_workbench', 'tools', (route) => <WorkbenchView route={route} />),
  view('w3c', 'nav_w3c', 'tools', () => <W3c />),
  view('worlds', 'worlds', 'tools', () => <Worlds />),
  view('debug', 'settings_debug_enabled_title', 'tools', () => <DebugView />, ofSite),
  view('data', 'nav_data', 'tools', () => <DataView />),
];
