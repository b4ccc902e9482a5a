import { AttributionView } from '../pages/views/attribution';
import { OverviewView } from '../pages/views/overview/overview';
import { tableViews } from '../pages/views/table-views';
import { view, type View } from '../pages/views/view';

/** What an opened file holds. */
export const fileViews: readonly View[] = [
  view('overview', 'nav_overview', 'recorded', () => <OverviewView />),
  ...tableViews,
  view('attribution', 'nav_attribution', 'recorded', (route) => <AttributionView route={route} />),
];
