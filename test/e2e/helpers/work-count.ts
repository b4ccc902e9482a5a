import type { CDPSession, Page } from 'puppeteer-core';
import type { NamedExtension } from './named-extension';

/**
 * To launch a browser with, in which work can be counted. V8 counts nothing of what it has optimized, and no blocks of a function that it
 * compiled before the count began, so it must not take the function from a cache.
 */
export const counted = {
  args: ['--js-flags=--no-opt --no-maglev --no-compilation-cache', '--v8-cache-options=none'],
};

interface Block {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** How often the blocks of one function have run, in each script that holds it: one for each frame. */
interface FunctionWork {
  /** `FILE: NAME`; what has no name belongs to the function around it. */
  readonly name: string;
  readonly scripts: (readonly Block[])[];
}

/** By the function's place in its script. */
export type Work = ReadonlyMap<string, FunctionWork>;

/**
 * Counts what the extension's scripts do in a page in Chrome: how often blocks of each function run. The machine's speed changes nothing
 * of it. Loads the page anew, because what has run already would not be counted.
 */
export class WorkCounter {
  private constructor(
    /** Of the page. */
    readonly address: string,
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
    return new WorkCounter(url, session, extension, ran);
  }

  /** Ends the count: V8 would keep the counters of all that ever ran in the page's process, and go over them again and again. */
  async stop(): Promise<void> {
    // The page may be closed.
    await this.session.send('Profiler.disable').catch(() => undefined);
    await this.session.detach().catch(() => undefined);
  }

  /** What has run since the call before. */
  async take(): Promise<Work> {
    const { result } = await this.session.send('Profiler.takePreciseCoverage');
    const own = result.filter(({ url }) => url.startsWith('chrome-extension:'));
    const pathOf = (url: string): string => new URL(url).pathname.slice(1);
    const nameOf = await this.extension.names([...new Set(own.map(({ url }) => pathOf(url)))]);
    const work = new Map<string, FunctionWork>();
    for (const { url, functions } of own)
      for (const { ranges, isBlockCoverage } of functions) {
        if (!ranges.some(({ count }) => count > 0)) continue;
        const start = ranges[0]?.startOffset ?? 0;
        const name = nameOf(pathOf(url), start);
        if (!isBlockCoverage)
          throw new Error(
            `V8 counts only the calls of ${name}, not its blocks: it was compiled before the count began. Keep it out of V8's caches`,
          );
        const place = `${url}:${start}`;
        const known = work.get(place) ?? { name, scripts: [] };
        known.scripts.push(ranges);
        work.set(place, known);
        this.ran.add(name);
      }
    return work;
  }
}

/** What was done in documents one after the other. */
export function joined(works: readonly Work[]): Work {
  const all = new Map<string, FunctionWork>();
  for (const work of works)
    for (const [place, { name, scripts }] of work)
      all.set(place, { name, scripts: [...(all.get(place)?.scripts ?? []), ...scripts] });
  return all;
}

/**
 * What happens now and then whatever the size, such as a timer or an update, or once for each of a small input. It is under 1 % of what a
 * quadratic loop over 200 does.
 */
const CONSTANT = 200;

/** V8 names a block only if it ran another number of times than the one around it. */
const countIn = ({ scripts }: FunctionWork, { startOffset, endOffset }: Block): number =>
  scripts
    .map(
      (blocks) =>
        blocks
          .filter((block) => block.startOffset <= startOffset && endOffset <= block.endOffset)
          .reduce<Block | null>(
            (inner, block) =>
              inner === null || block.endOffset - block.startOffset <= inner.endOffset - inner.startOffset
                ? block
                : inner,
            null,
          )?.count ?? 0,
    )
    .reduce((sum, count) => sum + count, 0);

/** For `STEP` times the input, as in `growthOf`: linear work is 4 times as much, quadratic 16 times. One draw more or less hides neither. */
const STEP = 4;
const MOST = 9;

/** By the block's place: a block that runs often must not hide one that grows. */
function grown(part: Work, whole: Work, n: number, bounded?: RegExp): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [place, work] of whole) {
    if (bounded?.test(work.name) === true) continue;
    for (const block of work.scripts.flat()) {
      const before = part.get(place);
      const [from, to] = [before === undefined ? 0 : countIn(before, block), countIn(work, block)];
      if (to > MOST * from + Math.min(STEP * n, CONSTANT))
        found.set(
          `${place}, ${block.startOffset}-${block.endOffset}`,
          `${work.name}: ${from} times for ${n}, ${to} for ${STEP * n}`,
        );
    }
  }
  return found;
}

/**
 * The functions with a block that runs more than 9 times as often for four times the input, which is 3 times for twice the input, in each of
 * three tries: on a loaded machine, a page may draw several times more than in the try before.
 * @param n between the two sizes: its half and its double
 * @param bounded names of functions whose work has another bound
 */
export async function grownIn(
  workOf: (n: number) => Promise<Work>,
  n: number,
  bounded?: RegExp,
): Promise<readonly string[]> {
  const size = n / 2;
  let found: ReadonlyMap<string, string> | null = null;
  for (let tries = 0; tries < 3 && found?.size !== 0; tries++) {
    const part = await workOf(size);
    if (part.size === 0)
      throw new Error('Nothing of the extension ran: the page does not show it this input');
    const now = grown(part, await workOf(STEP * size), size, bounded);
    found = new Map([...now].filter(([block]) => found?.has(block) ?? true));
  }
  return [...new Set(found?.values())];
}
