import { announceElement } from './announce';
import { replaceMethod } from './methods';

/** Shows the isolated world each shadow tree, into which observers and selectors of the document do not look. */
export function extendAttachShadow(): void {
  replaceMethod(
    Element.prototype,
    'attachShadow',
    (native) =>
      function (this: Element, ...args) {
        const tree = Reflect.apply(native, this, args) as ShadowRoot;
        announceElement(this);
        return tree;
      },
  );
}
