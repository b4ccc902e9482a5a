import { announceElement } from './announce';
import { replaceMethod } from './methods';

/** Shows the isolated world links outside the document before a script clicks them: their events do not get to the window. */
export function extendClick(): void {
  replaceMethod(
    HTMLElement.prototype,
    'click',
    (native) =>
      function (this: HTMLElement) {
        if (this instanceof HTMLAnchorElement && !this.isConnected) announceElement(this);
        Reflect.apply(native, this, []);
      },
  );
}
