import type { CDPSession, Page } from 'puppeteer-core';
import type { NamedExtension } from './named-extension';

/**
 * To launch a browser with, in which work can be counted. V8 counts nothing of what it has optimized, and no blocks of a function that it
 * compiled before the count began, so it must not take the function from a cache.
 */
export const counted = {
  args: ['--js-flags=--no-opt --no-maglev --no-compilation-cache', '--v8-cache-options=none'],
};

/** How often the block that ran most of each function has run, by `FILE: NAME`. */
export type Work = ReadonlyMap<string, number>;

/**
 * Counts what the extension's scripts do in a page in Chrome: how often blocks of each function run. The machine's speed changes nothing
 * of it. Loads the page anew, because what has run already would not be counted.
 */
export class WorkCounter {
  private constructor(
    private readonly session: CDPSession,
    private readonly extension: NamedExtension,
    private readonly ran: Set<string>,
  ) {}

  /** @param ran gets the names of all that runs */
  static async of(page: Page, extension: NamedExtension, ran: Set<string>): Promise<WorkCounter> {
    const url = page.url();
    await page.goto('about:blank');
    const session = await page.createCDPSession();
    await session.send('Profiler.enable');
    await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await page.goto(url);
    return new WorkCounter(session, extension, ran);
  }

  /** What has run since the call before. */
  async take(): Promise<Work> {
    const { result } = await this.session.send('Profiler.takePreciseCoverage');
    const own = result.filter(({ url }) => url.startsWith('chrome-extension:'));
    const pathOf = (url: string): string => new URL(url).pathname.slice(1);
    const nameOf = await this.extension.names([...new Set(own.map(({ url }) => pathOf(url)))]);
    const work = new Map<string, number>();
    for (const { url, functions } of own)
      for (const { ranges, isBlockCoverage } of functions) {
        const name = nameOf(pathOf(url), ranges[0]?.startOffset ?? 0);
        // V8 names a block only if it ran another number of times than the one around it.
        const count = ranges.reduce((most, range) => Math.max(most, range.count), 0);
        if (count > 0 && !isBlockCoverage)
          throw new Error(
            `V8 counts only the calls of ${name}, not its blocks: it was compiled before the count began. Keep it out of V8's caches`,
          );
        if (count > 0) work.set(name, (work.get(name) ?? 0) + count);
      }
    for (const [name, c] of work)
      if (/examineAll|watchElementsIn|decode$/.test(name)) process.stderr.write(`DBG ${name} ${c}\n`);
    for (const name of work.keys()) this.ran.add(name);
    return work;
  }
}

/** What happens now and then whatever the size, such as a timer or an update. It is under 1 % of what a quadratic loop over 200 does. */
const CONSTANT = 200;

const grown = (once: Work, twice: Work, n: number): ReadonlyMap<string, string> =>
  new Map(
    [...twice]
      .filter(([name, count]) => count > 3 * (once.get(name) ?? 0) + Math.min(n, CONSTANT))
      .map(([name, count]) => [
        name,
        `${name}: ${once.get(name) ?? 0} times for ${n}, ${count} for ${2 * n}`,
      ]),
  );

/**
 * The functions of which a block runs more than 3 times as often for `2 * n` as for `n`, in each of three tries: on a loaded machine, a page
 * may draw once more than in the try before.
 */
export async function grownIn(workOf: (n: number) => Promise<Work>, n: number): Promise<readonly string[]> {
  let found: ReadonlyMap<string, string> | null = null;
  for (let tries = 0; tries < 3 && found?.size !== 0; tries++) {
    const once = await workOf(n);
    if (once.size === 0)
      throw new Error('Nothing of the extension ran: the page does not show it this input');
    const now = grown(once, await workOf(2 * n), n);
    found = new Map([...now].filter(([name]) => found?.has(name) ?? true));
  }
  return [...(found?.values() ?? [])];
}
