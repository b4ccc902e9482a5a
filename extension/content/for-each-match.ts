/** Calls `onMatch` for `node` and its descendants that match. It sees every added node, so it must be fast when none match. */
export function forEachMatch(node: Node, selector: string, onMatch: (element: Element) => void): void {
  if (node.nodeType !== Node.ELEMENT_NODE) return;
  const element = node as Element;
  if (element.matches(selector)) onMatch(element);
  if (element.firstElementChild !== null) element.querySelectorAll(selector).forEach(onMatch);
}
