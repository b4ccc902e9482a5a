/* What a content script of debug mode tells of clicks on links without `attributionsrc`, in a document of fakes. */

const HERE = 'https://news.example/article?a=1';
const SHOP = 'https://shop.example/';

class Link {
  private readonly attributes: ReadonlySet<string>;
  readonly isConnected = true;
  readonly closest: () => null = jest.fn(() => null);
  readonly querySelector: () => null = jest.fn(() => null);

  constructor(
    readonly href: string,
    ...attributes: readonly string[]
  ) {
    this.attributes = new Set(attributes);
  }

  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }
}

type Listener = (event: object) => void;

const userActivation = { isActive: true };
let listeners: Map<string, Listener[]>;
let told: { readonly kind: string; readonly url?: string; readonly lack?: string }[];

const happens = (type: string, more: object): void => {
  for (const listener of listeners.get(type)?.slice() ?? [])
    listener({ type, isTrusted: true, button: 0, detail: 1, defaultPrevented: false, ...more });
};

const on = (link: Link): object => ({ composedPath: () => [link] });

/** A person presses a link, and lets go. */
async function click(link: Link): Promise<void> {
  happens('pointerdown', on(link));
  happens('click', on(link));
  await jest.advanceTimersByTimeAsync(1);
}

const kinds = (): readonly string[] => told.map(({ kind }) => kind);

beforeEach(async () => {
  jest.useFakeTimers();
  listeners = new Map();
  told = [];
  const target = {
    addEventListener: (type: string, listener: Listener) =>
      listeners.set(type, [...(listeners.get(type) ?? []), listener]),
  };
  const Other = EventTarget;
  Object.assign(globalThis, {
    window: target,
    document: { ...target, baseURI: HERE, readyState: 'complete', querySelectorAll: () => [] },
    location: { href: HERE, origin: 'https://news.example' },
    isSecureContext: true,
    HTMLAnchorElement: Link,
    ...{ HTMLAreaElement: Other, HTMLElement: Other, Element: Other, ShadowRoot: Other },
    MutationObserver: class {
      observe(): void {}
    },
    chrome: {
      runtime: {
        sendMessage: (message: (typeof told)[number]) => {
          told.push(message);
          return Promise.resolve(true);
        },
      },
    },
  });
  userActivation.isActive = true;
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: { userActivation } });
  await jest.isolateModulesAsync(async () => {
    await import('../../../extension/content/ineligible-clicks');
  });
});
afterEach(() => void jest.useRealTimers());

test('a press wakes the background, and the click names the link', async () => {
  await click(new Link(SHOP));
  expect(told).toEqual([
    { kind: 'wake' },
    expect.objectContaining({ kind: 'ineligible-click', url: SHOP, lack: 'attribute' }),
  ]);
});

test.each(['pointerover', 'pointermove', 'focusin'])(
  'a %s on the link wakes the background once before the press, and again by the press',
  async (type) => {
    const link = new Link(SHOP);
    happens(type, { ...on(link), isTrusted: false });
    expect(told).toEqual([]);
    happens(type, on(new Link(`${HERE}#there`)));
    expect(told).toEqual([]);
    happens(type, on(link));
    happens(type, on(link));
    expect(told).toEqual([{ kind: 'wake' }]);
    // The background may have ended since.
    await click(link);
    expect(kinds()).toEqual(['wake', 'wake', 'ineligible-click']);
  },
);

test('the focus that a script moves to a link wakes nothing', () => {
  userActivation.isActive = false;
  happens('focusin', on(new Link(SHOP)));
  expect(told).toEqual([]);
  userActivation.isActive = true;
  happens('focusin', on(new Link(SHOP)));
  expect(kinds()).toEqual(['wake']);
});

test('the focus that a key moves to a link wakes the background, within a second, even if the key activates nothing', async () => {
  userActivation.isActive = false;
  happens('keydown', { isTrusted: false });
  happens('focusin', on(new Link(SHOP)));
  happens('keydown', {});
  await jest.advanceTimersByTimeAsync(1001);
  happens('focusin', on(new Link(SHOP)));
  expect(told).toEqual([]);
  happens('keydown', {});
  await jest.advanceTimersByTimeAsync(1000);
  happens('focusin', on(new Link(SHOP)));
  expect(kinds()).toEqual(['wake']);
});

test('the background is woken again before it may sleep', async () => {
  for (let seconds = 0; seconds < 60; seconds++) {
    happens('pointermove', on(new Link(SHOP)));
    await jest.advanceTimersByTimeAsync(1000);
  }
  expect(kinds()).toEqual(Array(6).fill('wake'));
});

test.each([
  ['has attributionsrc', new Link(SHOP, 'attributionsrc')],
  ['leads to a place in this document', new Link(`${HERE}#there`)],
  ['leads to its top', new Link(`${HERE}#`)],
])('nothing is told of a link that %s', async (_what, link) => {
  await click(link);
  expect(told).toEqual([]);
});

test('a link to the same page without a fragment loads it anew', async () => {
  await click(new Link(HERE));
  expect(kinds()).toEqual(['wake', 'ineligible-click']);
});

test('without a press, nothing is told of what scripts click, and nothing is looked for in the link', async () => {
  const link = new Link(SHOP);
  happens('click', { ...on(link), isTrusted: false });
  await jest.advanceTimersByTimeAsync(1);
  expect(told).toEqual([]);
  expect(link.closest).not.toHaveBeenCalled();
});

test('of one press, few clicks of scripts are told', async () => {
  happens('pointerdown', { composedPath: () => [] });
  for (let count = 0; count < 20; count++) happens('click', { ...on(new Link(SHOP)), isTrusted: false });
  await jest.advanceTimersByTimeAsync(1);
  expect(kinds()).toEqual(Array(5).fill('ineligible-click'));
});
