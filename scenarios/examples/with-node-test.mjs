import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch, serveSites } from '@cointoss/puppeteer';

/*
 * How to test attribution in a real browser with Node's own test runner: copy this file, `npm install --save-dev @cointoss/puppeteer`,
 * and run `node --test FILE`. No server is needed: the test serves its own sites, which also take the reports.
 */

for (const browser of ['chrome', 'firefox']) {
  describe(`an impression whose output is noised (${browser})`, () => {
    let sites;
    let launched;

    before(async () => {
      sites = await serveSites();
      // With a seed, the same noise is drawn each time.
      launched = await launch({ browser, seed: 'node-test', clock: Date.UTC(2030, 0, 1) });
    });

    after(async () => {
      await launched?.close();
      await sites?.close();
    });

    it('is stored, with its rate of noise, and explained', async () => {
      const { extension } = launched;
      const page = await launched.browser.newPage();

      const view = sites.source('adtech', { source_event_id: '7', destination: sites.origin('shop') });
      await page.goto(sites.page('news', `<img attributionsrc src="${view}">`));
      const [source] = await extension.waitForSources(1);
      assert.equal(source.sourceType, 'event');
      // k / (k - 1 + e^14), for the 3 states of an impression.
      assert.equal(source.randomizedTriggerRate.toFixed(7), '0.0000025');

      const [entry] = await extension.trace({ kind: 'source', contextOrigin: sites.origin('news') });
      assert.equal(entry.decision.kind, 'stored');
      assert.deepEqual(entry.debug, [{ id: 'noise-seeded' }, { id: 'clock-stopped' }]);

      await extension.clear();
      assert.deepEqual(await extension.sources(), []);
    });
  });
}
