import { render } from 'preact';
import { namePage } from '../pages/lib/page';
import { Site } from './frame';

/** Draws the site into the page. */
export function show(): void {
  namePage('site_title');
  render(<Site />, document.body);
}
