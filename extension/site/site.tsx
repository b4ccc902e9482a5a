import { render } from 'preact';
import { namePage } from '../pages/state/page';
import { parseRoute } from '../pages/state/route';
import { Site } from './frame';
import { toolViews } from './views';

/** Draws the site into the page, once the view that it opens with can be drawn in the same step. */
export async function show(): Promise<void> {
  namePage('site_title');
  const [path] = parseRoute(location.hash).path;
  const view = toolViews.find((tool) => tool.path === path);
  // If the view's code does not come, the page says so in the view's place.
  await view?.prepare?.().catch(() => undefined);
  render(<Site />, document.body);
}
