import type { Page } from 'puppeteer-core';
import { growthBetween } from '../unit/helpers/costs/measure';
import { useAllScripts } from './helpers/all-scripts';
import { pageShapes, type PageShape } from './helpers/page-shapes';
import { threadClock } from './helpers/thread-clock';
import { Measured, type Unreached } from './helpers/measured';
import { grownIn, type Work } from './helpers/work-count';
import { isLong, useWorld, type World } from './helpers/world';

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
const show = async (page: Page, { code, act }: PageShape, n: number, world: World): Promise<void> => {
  await page.evaluate(
    (text, size) =>
      (globalThis as unknown as { run: (t: string, s: number) => Promise<void> }).run(text, size),
    code,
    n,
  );
  await act?.(page, world);
};

const empty = (page: Page): Promise<void> => page.evaluate(() => document.body.replaceChildren());

const unreached: readonly Unreached[] = [
  {
    why: "Over the background's own report, whose length the page cannot choose: a histogram of bounded size",
    functions: ['extension/content/page-world/attribution.ts: bytesOf'],
  },
];

// The code is the same in both browsers, and only Chrome tells what the scripts of a page did.
describe('for four times as much on a page, each block of the scripts beside it runs at most 9 times as often', () => {
  const measured = new Measured();
  // One for all: what the scripts know of a document ends with it, and to set all up takes as long as to measure.
  let page: Page;

  beforeAll(async () => {
    await measured.start();
    await useAllScripts(measured.world);
    page = await open(measured.world);
  });
  afterAll(() => measured.stop());

  it.each(pageShapes)('$what', async (shape) => {
    const { from } = shape;
    const counter = await measured.counter(page);
    const workOf = async (n: number): Promise<Work> => {
      await empty(page);
      await counter.take();
      await show(page, shape, n, measured.world);
      return counter.take();
    };
    expect(await grownIn(workOf, from)).toEqual([]);
  });

  test('every function that goes over something has run', () => {
    expect(measured.wrong(/^extension\/content\//, unreached)).toEqual([]);
  });
});

// What the browser itself does for them is not counted. Its time is, but depends on what else runs.
if (isLong)
  describe('for twice as much on a page, the scripts beside it take at most 3 times as long', () => {
    const world = useWorld('chrome');

    it.each(pageShapes)('$what', async (shape) => {
      const { from, to } = shape;
      await useAllScripts(world);
      const page = await open(world);
      const timeOf = async (n: number): Promise<number> => {
        await empty(page);
        const since = await threadClock(page);
        await show(page, shape, n, world);
        return since();
      };
      expect(await growthBetween(timeOf, from, to)).toBeNull();
    });
  });
