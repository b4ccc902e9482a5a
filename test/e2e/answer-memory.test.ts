import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { isCounted } from '../../bench/processor-time';
import { peakMemory } from './helpers/peak-memory';
import { browsersOfRun, useWorld } from './helpers/world';

/** In bytes, in all processes of the browser, which take some 10 MB more. */
const MOST_FOR_AN_ANSWER = 100 * 2 ** 20;

(isCounted ? describe : describe.skip).each(browsersOfRun)('an answer to the extension (%s)', (name) => {
  // With this option no other test has used the browser, and its process is known.
  const world = useWorld(name, { puppeteer: { args: [] } });

  it('of 0.5 MB that unpacks to 500 MB takes little memory, where a trial is expected', async () => {
    const { browser, extension, sites } = world;
    const megabytes = Array<Buffer>(500).fill(Buffer.alloc(2 ** 20, ' '));
    const body = await buffer(Readable.from(megabytes).pipe(createGzip()));
    expect(body.length).toBeLessThan(600_000);
    const link = sites.serve('stranger', '/trial.json', {
      body,
      headers: { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' },
    });
    const id = browser.process()?.pid ?? NaN;
    const before = peakMemory(id);
    expect(before).toBeGreaterThan(100 * 2 ** 20);
    const answer = extension.send({ kind: 'look-at-trial', link });
    await expect(answer).rejects.toThrow('500,000 characters');
    expect(peakMemory(id) - before).toBeLessThan(MOST_FOR_AN_ANSWER);
  });
});
