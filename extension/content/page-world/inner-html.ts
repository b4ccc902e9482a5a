import { announceElement } from './announce';
import { replaceAccessor } from './methods';

/** Shows the isolated world images that a script makes as HTML outside the document: browsers load them all the same. */
export function extendInnerHtml(): void {
  replaceAccessor(
    Element.prototype,
    'innerHTML',
    'set',
    (native) =>
      function (this: Element, html: string) {
        Reflect.apply(native, this, [html]);
        // The content of a template has another document, which loads nothing.
        if (!/attributionsrc/i.test(html) || this.isConnected || this.ownerDocument !== document) return;
        this.querySelectorAll('img[attributionsrc]').forEach(announceElement);
      },
  );
}
