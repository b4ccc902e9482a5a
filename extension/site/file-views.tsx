import { t } from '../i18n';
import { AttributionView } from '../pages/views/attribution';
import { OverviewView } from '../pages/views/overview/overview';
import { tableViews } from '../pages/views/table-views';
import type { View } from '../pages/views/view';

/** What an opened file holds. */
export const fileViews: readonly View[] = [
  {
    path: 'overview',
    title: t('nav_overview'),
    group: 'recorded',
    ofSite: false,
    render: () => <OverviewView />,
  },
  ...tableViews,
  {
    path: 'attribution',
    title: t('nav_attribution'),
    group: 'recorded',
    ofSite: false,
    render: (route) => <AttributionView route={route} />,
  },
];
