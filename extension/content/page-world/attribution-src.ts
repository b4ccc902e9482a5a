/* oxlint-disable typescript/unbound-method -- methods are called by `apply` */
import { announceElement } from './announce';
import { defineMember, replaceMethod } from './methods';

const attribute = 'attributionsrc';

// Saved now, because the page may replace these later.
const { apply } = Reflect;
const { getAttribute, setAttribute } = Element.prototype;
const { toLowerCase, toWellFormed } = String.prototype;

/**
 * Makes `attributionSrc` reflect the content attribute of the same name (ARA, "API for elements"). An image or script that is not in the
 * document is announced when the attribute is set, because the observer of content.ts does not see it. It still misses attributes set
 * outside the document by parsing, cloning, toggleAttribute or setAttributeNode.
 */
export function defineAttributionSrc(): void {
  for (const [{ prototype }, own] of elements) {
    const brand = Object.getOwnPropertyDescriptor(prototype, own)?.get;
    if (brand !== undefined) defineMember(prototype, 'attributionSrc', reflection(brand));
  }
  replaceMethod(Element.prototype, 'setAttribute', () => setAndAnnounce);
}

/** Each with an attribute of its own, whose getter refuses all other objects. */
const elements = [
  [HTMLAnchorElement, 'rel'],
  [HTMLAreaElement, 'rel'],
  [HTMLImageElement, 'alt'],
  [HTMLScriptElement, 'type'],
] as const;

/** A `USVString` (Web IDL, 3.2.11), of which lone surrogates are no part. @param brand throws for an object of another interface */
const reflection = (brand: (this: Element) => unknown) =>
  ({
    get attributionSrc(): string {
      apply(brand, this, []);
      return apply(toWellFormed, apply(getAttribute, this, [attribute]) ?? '', []);
    },
    set attributionSrc(value: string) {
      apply(brand, this, []);
      // oxlint-disable-next-line typescript/no-unnecessary-template-expression -- as Web IDL converts anything: no `valueOf`, and symbols throw
      apply(setAndAnnounce, this, [attribute, apply(toWellFormed, `${value}`, [])]);
    },
  }) satisfies { attributionSrc: string } & ThisType<Element>;

function setAndAnnounce(this: Element, ...args: [name: string, value: string]): void {
  apply(setAttribute, this, args);
  const name: unknown = args[0];
  // Pages set many attributes, and few of this length.
  if (typeof name !== 'string' || name.length !== attribute.length) return;
  if (apply(toLowerCase, name, []) === attribute && !this.isConnected) announceElement(this);
}
