import type { Page } from 'puppeteer-core';
import { growthBetween } from '../unit/helpers/costs/measure';
import { fileShapes, type FileShape } from './helpers/file-shapes';
import { choose, goTo, openView, press, shown, unfold } from './helpers/internals';
import { boundedOnDevice, measureDevice } from './helpers/live-shapes';
import { useMeasured } from './helpers/measured';
import { threadClock } from './helpers/thread-clock';
import { measureRequests } from './helpers/measured-requests';
import { unreached } from './helpers/unreached-in-pages';
import { grownIn } from './helpers/work-count';
import { isLong, useWorld, type World } from './helpers/world';

/**
 * Shows a file of each size.
 * @param meter begins to measure a page. What it returns begins one measurement, and what that returns ends it
 */
async function measure<Result>(
  world: World,
  { file, visits }: FileShape,
  meter: (page: Page) => Promise<() => Promise<() => Promise<Result>>>,
): Promise<(n: number) => Promise<Result>> {
  const page = await openView(world.extension, '#/data', '#open-file');
  const begin = await meter(page);
  return async (n) => {
    const made = await file(n);
    await goTo(page, '#/data');
    await page.waitForSelector('#open-file');
    const end = await begin();
    await choose(page, '#open-file', JSON.stringify(made));
    await page.waitForSelector('#open-banner');
    for (const { view, act } of visits(made)) {
      await goTo(page, view);
      await shown(page);
      await unfold(page);
      await act?.(page);
    }
    const measured = await end();
    await press(page, '#open-banner button');
    return measured;
  };
}

const PAGES = /^extension\/(pages|site)\//;

/** Of what a person opens or records, which takes a browser many seconds. What pages of others supply is tried by content-cost. */
const inSoak = isLong ? describe : describe.skip;

// The code is the same in both browsers, and only Chrome tells what the scripts of a page did.
inSoak('to show a file of four times the size, each block of a page runs at most 9 times as often', () => {
  const measured = useMeasured();

  it.each(fileShapes)('$what', async (shape) => {
    const workOf = await measure(measured.world, shape, async (page) => {
      const counter = await measured.counter(page);
      return async () => {
        await counter.take();
        return () => counter.take();
      };
    });
    expect(await grownIn(workOf, shape.from, shape.bounded)).toEqual([]);
  });

  it('many requests', async () => {
    const workOf = await measureRequests(measured.world, (page) => measured.counter(page));
    expect(await grownIn(workOf, 64)).toEqual([]);
  });

  it('what is on the device, in each of its pages', async () => {
    const workOf = await measureDevice(measured.world, (page) => measured.counter(page));
    try {
      expect(await grownIn(workOf, 32, boundedOnDevice)).toEqual([]);
    } finally {
      // The trial would fix the settings of the next test.
      await measured.world.agreeAnew();
    }
  });

  test('every function that goes over something has run', () => {
    expect(measured.wrong(PAGES, unreached)).toEqual([]);
  });
});

// What the browser itself does is not counted. Its time is, but depends on what else runs.
inSoak('to show a file of twice the size, a page takes at most 3 times as long', () => {
  const world = useWorld('chrome');

  it.each(fileShapes)('$what', async (shape) => {
    const timeOf = await measure(world, shape, (page) => Promise.resolve(() => threadClock(page)));
    expect(await growthBetween(timeOf, shape.from, shape.to)).toBeNull();
  });
});
