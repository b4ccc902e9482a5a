import { elementEvent, elementOf } from './announcement';
import { listen } from './listen';

/** What content scripts can do and the types lack: look into closed shadow trees. */
interface Firefox {
  readonly openOrClosedShadowRoot?: ShadowRoot | null;
}
interface Chrome {
  readonly chrome?: { readonly dom?: { openOrClosedShadowRoot(host: Element): ShadowRoot | null } };
}
const { chrome } = globalThis as Chrome;

let foundTree: (tree: ShadowRoot | null | undefined) => void = () => undefined;

/** The shadow tree of an element, also a closed one. */
const treeOf = (host: HTMLElement): ShadowRoot | null | undefined =>
  (host as Firefox).openOrClosedShadowRoot ?? chrome?.dom?.openOrClosedShadowRoot(host);

/** Looks for the shadow trees that `watchShadowTrees` missed. It takes microseconds for each element, so it is not done for every page. */
export function findClosedTrees(): void {
  const search = (tree: Document | ShadowRoot): void => {
    for (const host of tree.querySelectorAll<HTMLElement>('*')) {
      const found = host instanceof HTMLElement ? treeOf(host) : null;
      foundTree(found);
      if (found !== null && found !== undefined) search(found);
    }
  };
  search(document);
}

/**
 * Calls `onTree` once for each shadow tree: those that scripts attach, and the open ones in the document's HTML. It misses closed ones in the
 * HTML, and those that a script inserts as HTML.
 */
export function watchShadowTrees(onTree: (tree: ShadowRoot) => void): void {
  const seen = new WeakSet<ShadowRoot>();
  const found = (tree: ShadowRoot | null | undefined): void => {
    if (tree === null || tree === undefined || seen.has(tree)) return;
    seen.add(tree);
    onTree(tree);
    search(tree);
  };
  foundTree = found;
  const search = (tree: Document | ShadowRoot): void => {
    for (const { shadowRoot } of tree.querySelectorAll('*')) found(shadowRoot);
  };
  listen(
    document,
    elementEvent,
    (event) => {
      const host = elementOf(event);
      if (host instanceof HTMLElement) found(treeOf(host));
    },
    { capture: true },
  );
  if (document.readyState === 'loading') listen(document, 'DOMContentLoaded', () => search(document));
  else search(document);
}
