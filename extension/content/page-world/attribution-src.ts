/* oxlint-disable typescript/unbound-method -- methods are called by `apply` */
import { announceElement } from './announce';
import { defineMember, replaceMethod } from './methods';

const attribute = 'attributionsrc';

// Saved now, because the page may replace these later.
const { apply } = Reflect;
const { getAttribute, setAttribute } = Element.prototype;
const { toLowerCase } = String.prototype;

/**
 * Makes `attributionSrc` reflect the content attribute of the same name (ARA, "API for elements"). An image or script that is not in the
 * document is announced when the attribute is set, because the observer of content.ts does not see it. It still misses attributes set
 * outside the document by parsing, cloning, toggleAttribute or setAttributeNode.
 */
export function defineAttributionSrc(): void {
  for (const { prototype } of [HTMLAnchorElement, HTMLAreaElement, HTMLImageElement, HTMLScriptElement]) {
    defineMember(prototype, 'attributionSrc', reflection);
  }
  replaceMethod(Element.prototype, 'setAttribute', () => setAndAnnounce);
}

const reflection = {
  get attributionSrc(): string {
    return apply(getAttribute, this, [attribute]) ?? '';
  },
  set attributionSrc(value: string) {
    apply(setAndAnnounce, this, [attribute, value]);
  },
} satisfies { attributionSrc: string } & ThisType<Element>;

function setAndAnnounce(this: Element, ...args: [name: string, value: string]): void {
  apply(setAttribute, this, args);
  const name: unknown = args[0];
  // Pages set many attributes, and few of this length.
  if (typeof name !== 'string' || name.length !== attribute.length) return;
  if (apply(toLowerCase, name, []) === attribute && !this.isConnected) announceElement(this);
}
