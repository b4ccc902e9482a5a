/**
 * With more mutations than this, as during parsing, one search of the document is cheaper than a look at each. The search misses elements
 * that were added and removed in the same batch.
 */
export const MANY_RECORDS = 50;

/** Calls `onMatch` for `node` and its descendants that match. It sees every added node, so it must be fast when none match. */
export function forEachMatch(node: Node, selector: string, onMatch: (element: Element) => void): void {
  if (node.nodeType !== Node.ELEMENT_NODE) return;
  const element = node as Element;
  if (element.matches(selector)) onMatch(element);
  if (element.firstElementChild !== null) element.querySelectorAll(selector).forEach(onMatch);
}
