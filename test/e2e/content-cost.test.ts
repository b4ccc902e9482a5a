import type { Page } from 'puppeteer-core';
import { growthBetween } from '../unit/helpers/costs/measure';
import { threadClock } from './helpers/thread-clock';
import { counted, workCounter } from './helpers/work-count';
import { isLong, useWorld, type World } from './helpers/world';

/** What a page can show the scripts that run beside it. */
interface Shape {
  readonly what: string;
  /** Of `n`, in the page's own world. */
  readonly code: string;
  /** From this `n` to that. In characters if there is one element of a long text. */
  readonly from: number;
  readonly to: number;
}

const CHARACTERS = { from: 32_000, to: 2_048_000 };
const MANY = { from: 500, to: 32_000 };
/** Nobody nests more without that the browser's own layout takes longest. */
const DEEP = { from: 250, to: 4000 };

const shapes: readonly Shape[] = [
  {
    what: 'an attributionsrc of many URLs',
    code: `add('img').setAttribute('attributionsrc', 'https://a.example/ '.repeat(n / 19));`,
    ...CHARACTERS,
  },
  {
    what: 'an attributionsrc of spaces',
    code: `add('img').setAttribute('attributionsrc', ' '.repeat(n));`,
    ...CHARACTERS,
  },
  {
    what: 'a long src',
    code: `const image = add('img'); image.setAttribute('attributionsrc', ''); image.src = 'data:,' + 'x'.repeat(n);`,
    ...CHARACTERS,
  },
  {
    what: 'a long srcset',
    code: `const image = add('img'); image.setAttribute('attributionsrc', ''); image.srcset = 'data:,x 1x, '.repeat(n / 12);`,
    ...CHARACTERS,
  },
  {
    what: 'the src of a frame that changes often, and is long',
    code: `const one = add('object'); for (let i = 0; i < 20; i++) one.data = 'data:,' + i + 'x'.repeat(n);`,
    ...CHARACTERS,
    // Each is an old value of a mutation, too.
    to: 512_000,
  },
  {
    what: 'a window feature of many percent signs',
    code: `announce({ kind: 'open', url: '/', sources: ['%41%'.repeat(n / 4)] });`,
    ...CHARACTERS,
  },
  {
    what: 'an announcement that is no JSON',
    code: `document.dispatchEvent(new CustomEvent('cointoss:announce', { detail: '['.repeat(n) }));`,
    ...CHARACTERS,
  },
  {
    what: 'many announcements',
    code: `for (let i = 0; i < n; i++) announce({ kind: 'open', url: '/' + i, sources: ['/'] });`,
    ...MANY,
  },
  {
    what: 'many images that register',
    code: `for (let i = 0; i < n; i++) add('img').setAttribute('attributionsrc', '');`,
    ...MANY,
  },
  {
    what: 'one image that changes often',
    code: `const image = add('img'); image.setAttribute('attributionsrc', '');
           for (let i = 0; i < n; i++) image.setAttribute('src', 'data:,' + i);`,
    ...MANY,
  },
  {
    what: 'one image that changes often, in as many microtasks',
    code: `const image = add('img'); image.setAttribute('attributionsrc', '');
           for (let i = 0; i < n; i++) { image.setAttribute('src', 'data:,' + i); await null; }`,
    ...MANY,
  },
  {
    what: 'many elements, each added by itself',
    code: `for (let i = 0; i < n; i++) { add('b'); await null; }`,
    ...MANY,
  },
  {
    what: 'objects without a URL',
    code: `for (let i = 0; i < n; i++) add('object');`,
    ...MANY,
  },
  {
    what: 'shadow trees side by side',
    code: `for (let i = 0; i < n; i++) add('div').attachShadow({ mode: i % 2 ? 'open' : 'closed' });`,
    ...MANY,
    to: 8000,
  },
  {
    what: 'shadow trees in shadow trees',
    code: `let tree = document.body;
           for (let i = 0; i < n; i++)
             tree = tree.appendChild(document.createElement('div')).attachShadow({ mode: 'open' });`,
    ...DEEP,
    to: 1000,
  },
  {
    what: 'clicks on a link that a script makes',
    code: `const link = add('a'); link.setAttribute('attributionsrc', '/'); link.href = '#x';
           for (let i = 0; i < n; i++) link.click();`,
    // Chrome takes 4 ms for each, whatever listens.
    from: 100,
    to: 2000,
  },
];

const open = (world: World): Promise<Page> =>
  world.open(
    'publisher',
    `<script>
      const add = (tag) => document.body.appendChild(document.createElement(tag));
      const announce = (detail) =>
        document.dispatchEvent(new CustomEvent('cointoss:announce', { detail: JSON.stringify(detail) }));
      const Async = (async () => {}).constructor;
      globalThis.run = async (text, n) => {
        await new Async('n', text)(n);
        for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setTimeout(resolve));
      };
    </script>`,
  );

/** Until everything that was caused has run. */
const show = async (page: Page, code: string, n: number): Promise<void> => {
  await page.evaluate(
    (text, size) =>
      (globalThis as unknown as { run: (t: string, s: number) => Promise<void> }).run(text, size),
    code,
    n,
  );
};

const empty = (page: Page): Promise<void> => page.evaluate(() => document.body.replaceChildren());

// The code is the same in both browsers, and only Chrome tells what the scripts of a page did.
describe('for twice as much on a page, the scripts beside it run at most 3 times as often', () => {
  const world = useWorld('chrome', counted);

  it.each(shapes)('$what', async ({ code, from }) => {
    const page = await open(world);
    const count = await workCounter(page);
    const workOf = async (n: number): Promise<number> => {
      await empty(page);
      await count();
      await show(page, code, n);
      return count();
    };
    const once = await workOf(from);
    expect(once).toBeGreaterThan(0);
    expect(await workOf(2 * from)).toBeLessThanOrEqual(3 * once);
  });
});

// What the browser itself does for them is not counted. Its time is, but depends on what else runs.
if (isLong)
  describe('for twice as much on a page, the scripts beside it take at most 3 times as long', () => {
    const world = useWorld('chrome');

    it.each(shapes)('$what', async ({ code, from, to }) => {
      const page = await open(world);
      const timeOf = async (n: number): Promise<number> => {
        await empty(page);
        const since = await threadClock(page);
        await show(page, code, n);
        return since();
      };
      expect(await growthBetween(timeOf, from, to)).toBeNull();
    });
  });
