import { build } from 'esbuild';
import path from 'node:path';
import type { Page } from 'puppeteer-core';
import { launch } from '../scenarios/kit';
import { root } from '../node/root';
import type { Times } from './in-browser/durable';
import type { RegistrationTimes } from './in-browser/registered';
import { median } from './measure';

/** Destinations of one ad tech on one site. */
const DESTINATIONS = [1, 90];
/** How often each is measured: the machine is another one from minute to minute. */
const REPETITIONS = 3;
/** Stored sources. */
const SIZES = [100, 100_000];

/**
 * How long it takes from a registration header until it is in the database, against a bare `put` of the same row, and how the time of a source
 * grows with those of its site, in both browsers.
 */
export async function benchDurable(): Promise<void> {
  const bundle = await build({
    entryPoints: [path.join(root, 'bench/in-browser/durable.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  const script = bundle.outputFiles[0]?.text ?? '';
  for (const browser of ['chrome', 'firefox'] as const) {
    const launched = await launch({
      browser,
      puppeteer: { extraPrefsFirefox: { 'privacy.reduceTimerPrecision': false } },
    });
    try {
      const page = await launched.extension.page();
      await page.evaluate(script);
      for (const size of SIZES) show(browser, size, await measured(page, size));
      for (let repetition = 0; repetition < REPETITIONS; repetition++)
        for (const destinations of DESTINATIONS)
          showRegistered(browser, destinations, await registered(page, destinations));
      showSources(browser, (await page.evaluate('globalThis.measureSources()')) as readonly number[][]);
    } finally {
      await launched.close();
    }
  }
}

const registered = (page: Page, destinations: number): Promise<RegistrationTimes> =>
  page.evaluate(`globalThis.measureRegistered(${destinations})`) as Promise<RegistrationTimes>;

function showRegistered(
  browser: string,
  destinations: number,
  { source, row, floor }: RegistrationTimes,
): void {
  const [ours, least, bare] = [source, floor, row].map(
    (times) => [middle(times), percentile99(times)] as const,
  );
  if (ours === undefined || least === undefined || bare === undefined) return;
  const times = ([half, most]: readonly [number, number]): string =>
    `${half.toFixed(2)} ms, p99 ${most.toFixed(1)}`;
  const over = (other: readonly [number, number]): string =>
    `${(ours[0] / other[0]).toFixed(2)} and ${(ours[1] / other[1]).toFixed(2)} times`;
  console.log(
    `${browser}, ${destinations} destinations: header to source stored ${times(ours)}; one row with as many bytes and keys ` +
      `${times(least)}: ${over(least)}; the source's row alone ${times(bare)}: ${over(bare)}`,
  );
}

/** The median of means of five, because Chrome tells a tenth of a millisecond only. */
const middle = (times: readonly number[]): number =>
  median(
    Array.from({ length: Math.floor(times.length / 5) }, (_, index) => {
      const five = times.slice(5 * index, 5 * index + 5);
      return five.reduce((a, b) => a + b, 0) / five.length;
    }),
  );

const measured = (page: Page, size: number): Promise<Times> =>
  page.evaluate(`globalThis.measureDurable(${size})`) as Promise<Times>;

function show(browser: string, size: number, { ours, bare }: Times): void {
  const [mine, theirs] = [ours, bare].map((times) => ({ median: median(times), p99: percentile99(times) }));
  if (mine === undefined || theirs === undefined) return;
  console.log(
    `${browser}, ${size} stored sources: header to durable ${mine.median.toFixed(2)} ms, p99 ${mine.p99.toFixed(2)} ms; ` +
      `bare put ${theirs.median.toFixed(2)} and ${theirs.p99.toFixed(2)} ms; ` +
      `${(mine.median / theirs.median).toFixed(2)} and ${(mine.p99 / theirs.p99).toFixed(2)} times`,
  );
}

function showSources(browser: string, stretches: readonly (readonly number[])[]): void {
  const medians = stretches.map(median);
  const [first = NaN, last = NaN] = [medians[0], medians.at(-1)];
  console.log(
    `${browser}, sources of one site: ${medians.map((time) => time.toFixed(1)).join(', ')} ms; ` +
      `the last ${(last / first).toFixed(2)} times the first`,
  );
}

const percentile99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? NaN;
