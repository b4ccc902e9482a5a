import type { Announcement } from '../../../extension/content/announcement';

/* What a page's own `window.open` announces, in a world of fakes. */

const SHOP = 'https://shop.example/';

let announced: Announcement[];
let opened: unknown[][];

beforeAll(async () => {
  class Target {
    dispatchEvent({ detail }: CustomEvent<string>): boolean {
      announced.push(JSON.parse(detail) as Announcement);
      return true;
    }
  }
  class Document extends Target {
    open(): void {}
  }
  const window = { open: (...args: unknown[]): void => void opened.push(args) };
  Object.assign(globalThis, { EventTarget: Target, Document, document: new Document(), window });
  Object.assign(globalThis, { FocusEvent: Event });
  const { extendWindowOpen } = await import('../../../extension/content/page-world/window-open');
  extendWindowOpen();
});
beforeEach(() => {
  announced = [];
  opened = [];
});

const open = (...args: unknown[]): void => {
  (globalThis as unknown as { window: { open: (...all: unknown[]) => void } }).window.open(...args);
};

test.each([
  ['a string', SHOP],
  ['a URL', new URL(SHOP)],
])('without the feature, %s is announced, and opened as it is', (_what, url) => {
  open(url, '_blank');
  expect(announced).toEqual([{ kind: 'plain-open', url: SHOP }]);
  expect(opened).toEqual([[url, '_blank']]);
});

test('of an object that only converts to a string, nothing is announced, and nothing of it runs', () => {
  const url = { toString: jest.fn(() => SHOP), href: SHOP };
  open(url);
  expect(announced).toEqual([]);
  expect(url.toString).not.toHaveBeenCalled();
  expect(opened).toEqual([[url]]);
});
