import { listen } from './listen';

/**
 * Calls `onClick` for each click of a person in the document, or in one shadow tree, before the page sees it. What the browser itself
 * dispatched is one: the press gave the page the activation that a navigation source needs. On a slow machine it may have lapsed since.
 */
export function watchClicks(onClick: (event: Event) => void, tree: Window | ShadowRoot = window): void {
  const check = (event: Event): void => {
    if (event.isTrusted) onClick(event);
  };
  listen(tree, 'click', check, { capture: true });
  // The middle button also opens links.
  const checkMiddle = (event: Event): void => {
    if ((event as MouseEvent).button === 1) check(event);
  };
  listen(tree, 'auxclick', checkMiddle, { capture: true });
}
