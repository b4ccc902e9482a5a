/* oxlint-disable typescript/unbound-method -- functions are looked at, not called */
import type { Page } from 'puppeteer-core';
import { browsers, useWorld } from './helpers/world';

/** All that a page can read of the browser's interfaces, where Cointoss replaces or adds members. */
const look = (): unknown => {
  const outcome = (act: () => unknown): string => {
    try {
      return String(act());
    } catch (error) {
      return String(error);
    }
  };
  const lookOf = (method: unknown): unknown => {
    if (typeof method !== 'function') return typeof method;
    return {
      // First, because Firefox makes these properties when they are read.
      keys: Reflect.ownKeys(method).map(String),
      name: method.name,
      length: method.length,
      descriptors: JSON.stringify(Object.getOwnPropertyDescriptors(method)),
      texts: [
        String(method),
        Function.prototype.toString.call(method),
        Reflect.apply(Function.prototype.toString, method, []),
      ],
      tag: Object.prototype.toString.call(method),
      ofFunction: Object.getPrototypeOf(method) === Function.prototype,
      extensible: Object.isExtensible(method),
      constructed: outcome(() => Reflect.construct(method, [])),
      extended: outcome(() => Reflect.construct(Object, [], method)),
      ofNothing: outcome(() => Reflect.apply(method, {}, []) instanceof Promise),
    };
  };
  const memberOf = (owner: object, name: string): unknown => {
    const member: TypedPropertyDescriptor<unknown> = Object.getOwnPropertyDescriptor(owner, name) ?? {};
    const { value, get, set, ...attributes } = member;
    return { ...attributes, value: lookOf(value), get: lookOf(get), set: lookOf(set) };
  };
  const prototypes = [
    Element,
    HTMLAnchorElement,
    HTMLAreaElement,
    HTMLImageElement,
    HTMLScriptElement,
    XMLHttpRequest,
    Document,
  ]
    .map(({ name, prototype }): readonly [string, object] => [name, prototype])
    .concat([['Function', Function.prototype]]);
  return {
    members: Object.fromEntries(
      prototypes.map(([name, prototype]) => [
        name,
        Reflect.ownKeys(prototype)
          .map(String)
          // The API's own, and what Firefox has in pages of extensions only.
          .filter(
            (key) => !['attributionSrc', 'setAttributionReporting', 'openOrClosedShadowRoot'].includes(key),
          ),
      ]),
    ),
    methods: {
      fetch: memberOf(window, 'fetch'),
      open: memberOf(window, 'open'),
      openOfDocument: memberOf(Document.prototype, 'open'),
      openRequest: memberOf(XMLHttpRequest.prototype, 'open'),
      setRequestHeader: memberOf(XMLHttpRequest.prototype, 'setRequestHeader'),
      setAttribute: memberOf(Element.prototype, 'setAttribute'),
      toString: memberOf(Function.prototype, 'toString'),
    },
    // Those that the API adds look like others of their kind.
    added: [
      [memberOf(HTMLImageElement.prototype, 'attributionSrc'), memberOf(HTMLImageElement.prototype, 'alt')],
      [memberOf(HTMLAnchorElement.prototype, 'attributionSrc'), memberOf(HTMLAnchorElement.prototype, 'rel')],
      [
        memberOf(XMLHttpRequest.prototype, 'setAttributionReporting'),
        memberOf(XMLHttpRequest.prototype, 'getResponseHeader'),
      ],
    ].map((pair) =>
      pair.map((one) =>
        // What is added calls others, and the messages of errors name those.
        JSON.stringify(one, (key, value: unknown) => (key === 'ofNothing' ? undefined : value)).replaceAll(
          /attributionSrc|alt|rel|setAttributionReporting|getResponseHeader/g,
          'NAME',
        ),
      ),
    ),
  };
};

interface Look {
  readonly members: unknown;
  readonly methods: unknown;
  readonly added: readonly (readonly [ours: string, native: string])[];
}

const lookOn = async (page: Page): Promise<Look> => (await page.evaluate(look)) as Look;

describe.each(browsers)('what a page can tell (%s)', (name) => {
  const world = useWorld(name);

  it('by looking at functions is nothing: they look like the browser’s own', async () => {
    // No content script runs in the extension's own pages.
    const native = await lookOn(await world.extension.page());
    const page = await lookOn(await world.open('publisher', ''));
    expect(page.methods).toEqual(native.methods);
    expect(page.members).toEqual(native.members);
    for (const [ours, other] of page.added) expect(ours).toBe(other);
  });

  it('is that attributionSrc is a USVString of links, images and scripts, and of nothing else', async () => {
    const page = await world.open('publisher', '');
    const found = await page.evaluate(() => {
      const image = new Image() as HTMLImageElement & { attributionSrc: string };
      image.attributionSrc = '\ud800a\ud83d\ude00';
      const set = image.getAttribute('attributionsrc');
      image.setAttribute('attributionsrc', 'b\udc00');
      const got = image.attributionSrc;
      image.attributionSrc = { valueOf: () => 'value', toString: () => 'text' } as unknown as string;
      const ofObject = image.getAttribute('attributionsrc');
      const accessor = (prototype: object) => Object.getOwnPropertyDescriptor(prototype, 'attributionSrc');
      const refused = (act: () => unknown): string => {
        try {
          act();
          return 'none';
        } catch (error) {
          return (error as Error).name;
        }
      };
      const others = [
        document.createElement('a'),
        document.createElement('div'),
        HTMLImageElement.prototype,
        {},
      ];
      return {
        set,
        got,
        ofObject,
        ofOthers: others.flatMap((other) => [
          refused(() => accessor(HTMLImageElement.prototype)?.get?.call(other)),
          refused(() => accessor(HTMLImageElement.prototype)?.set?.call(other, 'x')),
        ]),
        ofSymbol: refused(() => void (image.attributionSrc = Symbol('x') as unknown as string)),
      };
    });
    expect(found).toEqual({
      set: '\ufffda😀',
      got: 'b\ufffd',
      ofObject: 'text',
      ofOthers: Array<string>(8).fill('TypeError'),
      ofSymbol: 'TypeError',
    });
  });

  it('from errors is no address of the extension', async () => {
    const page = await world.open('publisher', '');
    const stacks = await page.evaluate(async () => {
      const found: string[] = [];
      const collect = (act: () => unknown): void => {
        try {
          act();
        } catch (error) {
          found.push(String((error as Error).stack), String((error as { fileName?: string }).fileName));
        }
      };
      const spy = { toString: () => (found.push(String(new Error().stack)), '') };
      collect(() => window.open(spy as unknown as string, '', 'attributionsrc'));
      collect(() => new XMLHttpRequest().open(spy as unknown as string, spy as unknown as string));
      collect(() => Element.prototype.setAttribute.call(null as unknown as Element, 'a', 'b'));
      collect(() => Function.prototype.toString.call({} as () => void));
      await fetch(spy as unknown as string, {
        get method() {
          found.push(String(new Error().stack));
          return 'no method';
        },
      }).catch((error: unknown) => found.push(String((error as Error).stack)));
      return found;
    });
    expect(stacks.length).toBeGreaterThan(5);
    expect(stacks.filter((stack) => stack.includes('-extension:'))).toEqual([]);
  });
});
