import { waitFor } from '../../scenarios/kit';
import { hasXvfb, useScreen } from './helpers/screen';
import { source, trigger } from './helpers/registrations';
import { browsersOfRun, useWorld } from './helpers/world';

const whereThereIsAScreen = hasXvfb ? describe : describe.skip;

whereThereIsAScreen('with a window', () => {
  useScreen();

  describe.each(browsersOfRun)('(%s)', (name) => {
    const world = useWorld(name, { headless: false });

    it('turns a click and a purchase into a report, as without one', async () => {
      const { sites, extension } = world;
      const landing = sites.page('shop', '<h1>a shop</h1>');
      const registered = sites.serve('adtech', '/click', { headers: source(7, sites.origin('shop')) });
      const page = await world.open(
        'publisher',
        `<a id="ad" href="${landing}" attributionsrc="${registered}">an ad</a>`,
      );
      // The browser's own bars take some of the window.
      expect(await page.evaluate(() => outerHeight - innerHeight)).toBeGreaterThan(50);
      await page.click('#ad');
      await waitFor('the click', async () => (await extension.sources())[0]?.sourceType === 'navigation');
      await world.open('shop', `<img src="${sites.serve('adtech', '/t', { headers: trigger(3) })}">`);
      await extension.waitForReports(1);
      await extension.deliverAll();
      const [report] = await sites.waitForReports(1);
      expect(report?.body).toMatchObject({
        source_event_id: '7',
        trigger_data: '3',
        source_type: 'navigation',
      });
    });
  });
});
