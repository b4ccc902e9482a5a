import type { JSX } from 'preact';
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

/**
 * The view at an address, else the first.
 * @throws Error when there are no views
 */
export function viewOf(views: readonly View[], { path }: Route): View {
  const found = views.find((view) => view.path === path[0]) ?? views[0];
  if (found === undefined) throw new Error('there are no views');
  return found;
}
