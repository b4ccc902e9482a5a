import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createDeflateRaw } from 'node:zlib';
import { isCounted } from '../../bench/processor-time';
import { root } from '../../node/root';
import { goTo, shows } from './helpers/internals';
import { peakMemory } from './helpers/peak-memory';
import { StaticSite } from './helpers/static-site';
import { browsersOfRun, isLong, useWorld } from './helpers/world';

/** In bytes, in all processes of the browser. Unpacked to its end, the link takes 1.7 GB. */
const MOST_FOR_A_LINK = 100 * 2 ** 20;

// answer-memory.test.ts tries the same in each run, of what nobody chose to open.
(isCounted && isLong ? describe : describe.skip).each(browsersOfRun)('a tab of the site (%s)', (name) => {
  // With this option no other test has used the browser, and its process is known.
  const world = useWorld(name, { puppeteer: { networkEnabled: true, args: [] } });

  let site: StaticSite;

  beforeEach(async () => {
    site = await StaticSite.serve(path.join(root, 'dist/site'), '/any/path/');
  });
  afterEach(() => site.close());

  it('takes little memory for a link of 0.5 MB that unpacks to 400 MB', async () => {
    const page = await world.visit(`${site.address}#/data`);
    await page.waitForSelector('#open-file');
    const megabytes = Array<Buffer>(400).fill(Buffer.alloc(2 ** 20, '0'));
    const packed = await buffer(Readable.from(megabytes).pipe(createDeflateRaw()));
    const link = `#/data?file=${packed.toString('base64url')}`;
    expect(link.length).toBeGreaterThan(500_000);
    const browser = world.browser.process()?.pid ?? NaN;
    const before = peakMemory(browser);
    expect(before).toBeGreaterThan(100 * 2 ** 20);
    await goTo(page, link);
    await shows(page, '#file-problem', /4,000,000/);
    expect(peakMemory(browser) - before).toBeLessThan(MOST_FOR_A_LINK);
  });
});
