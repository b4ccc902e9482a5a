import type { JSX } from 'preact';
import { t, type MessageName } from '../../i18n';
import type { Route } from '../state/route';

/** To add a view to the navigation, add another of these. */
export interface View {
  /** The first part of the address. */
  readonly path: string;
  readonly title: string;
  readonly group: 'now' | 'recorded' | 'tools';
  readonly render: (route: Route) => JSX.Element;
  /** Whether the view fills the window and scrolls within itself. */
  readonly fills?: (route: Route) => boolean;
  /** Whether the view also works for the one site that the developer tools inspect. */
  readonly ofSite: boolean;
  /** Whether it shows their tab there instead, on whichever site. */
  readonly ofTab?: boolean;
}

/** A view under the title of this name, for everything recorded unless `more` says otherwise. */
export const view = (
  path: string,
  title: MessageName,
  group: View['group'],
  render: View['render'],
  more: Partial<View> = {},
): View => ({ path, title: t(title), group, ofSite: false, render, ...more });

/**
 * The view at an address, else the first.
 * @throws Error when there are no views
 */
export function viewOf(views: readonly View[], { path }: Route): View {
  const found = views.find((view) => view.path === path[0]) ?? views[0];
  if (found === undefined) throw new Error('there are no views');
  return found;
}
