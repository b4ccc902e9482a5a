/** Calls `onMatch` for `node` and all inside it that match. Cheap where there are none, as it sees every added node. */
export function forEachMatch(node: Node, selector: string, onMatch: (element: Element) => void): void {
  if (node.nodeType !== Node.ELEMENT_NODE) return;
  const element = node as Element;
  if (element.matches(selector)) onMatch(element);
  if (element.firstElementChild !== null) element.querySelectorAll(selector).forEach(onMatch);
}
