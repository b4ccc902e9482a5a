import { announceElement } from './announce';
import { defineMethod } from './methods';

const attribute = 'attributionsrc';
const elementPrototype = Element.prototype;

/** Makes `attributionSrc` reflect the content attribute of the same name (ARA, "API for elements"). */
export function defineAttributionSrc(): void {
  const accessor = Object.getOwnPropertyDescriptor(reflection, 'attributionSrc');
  for (const { prototype } of [HTMLAnchorElement, HTMLAreaElement, HTMLImageElement, HTMLScriptElement]) {
    if (accessor !== undefined) Object.defineProperty(prototype, 'attributionSrc', accessor);
  }
  // On these two elements the attribute also counts outside the document, where the observer of content.ts does not see it.
  // It still misses attributes set outside the document by parsing, cloning, toggleAttribute or setAttributeNode.
  for (const { prototype } of [HTMLImageElement, HTMLScriptElement]) {
    defineMethod(prototype, 'setAttribute', elementPrototype.setAttribute.length, setAttribute);
  }
}

// A property gives both functions the same names as the browser's own.
const reflection = {
  get attributionSrc(): string {
    return elementPrototype.getAttribute.call(this, attribute) ?? '';
  },
  set attributionSrc(value: string) {
    setAttribute.call(this, attribute, value);
  },
} satisfies { attributionSrc: string } & ThisType<Element>;

function setAttribute(this: Element, ...args: [name: unknown, value: unknown]): void {
  // Looked up at each call, because a page that replaces Element's method expects its own to run.
  Reflect.apply(Reflect.get(elementPrototype, 'setAttribute'), this, args);
  if (String(args[0]).toLowerCase() === attribute && !this.isConnected) announceElement(this);
}
