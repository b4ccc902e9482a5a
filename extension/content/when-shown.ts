import { listen } from './listen';

/** What browsers that prepare pages have, and TypeScript's types lack. */
interface Preparable {
  readonly prerendering?: boolean;
}

/** Runs the action now, or once the page is shown if the browser only prepares it. */
export function whenShown(action: () => void): void {
  if ((document as Preparable).prerendering === true) listen(document, 'prerenderingchange', action);
  else action();
}
