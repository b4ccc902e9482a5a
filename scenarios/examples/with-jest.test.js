const { launch, serveSites } = require('@cointoss/puppeteer');

/*
 * How to test attribution in a real browser with jest. Copy this file, and `npm install --save-dev @cointoss/puppeteer jest`.
 * No server is needed: the test serves its own sites, `http://NAME.localhost`, which also take the reports.
 */

const DAY = 86_400_000;

// A wait takes up to 60 seconds, and its error says what came instead.
jest.setTimeout(90_000);

describe.each(['chrome', 'firefox'])('a click and a purchase (%s)', (browser) => {
  let sites;
  let launched;

  beforeAll(async () => {
    sites = await serveSites();
    launched = await launch({
      browser,
      // Without noise the outcome is certain. The clock stands still until the test turns it, so times are exact.
      settings: { debug: { enabled: true, noise: false } },
      clock: new Date('2030-01-01T00:00:00Z'),
    });
  });

  afterAll(async () => {
    await launched?.close();
    await sites?.close();
  });

  it('become one report, two days after the click', async () => {
    const { extension } = launched;
    const page = await launched.browser.newPage();

    // The ad: a link whose response registers a source and redirects to the shop.
    const shop = sites.page('shop', 'Shoes');
    const click = sites.source(
      'adtech',
      { source_event_id: '42', destination: sites.origin('shop') },
      { redirect: shop },
    );
    await page.goto(sites.page('news', `<a href="${click}" attributionsrc>Buy shoes</a>`));
    await page.bringToFront();
    await Promise.all([page.waitForNavigation(), page.click('a')]);
    await extension.waitForSources(1);

    // The purchase: a pixel whose response registers a trigger.
    const pixel = sites.trigger('adtech', { event_trigger_data: [{ trigger_data: '3' }] });
    await page.goto(sites.page('shop', `Thank you <img src="${pixel}">`));
    await extension.waitForReport();
    expect(sites.reports()).toEqual([]);

    // The window of the report ends.
    await extension.advance(2 * DAY);
    expect(await sites.waitForReports(1)).toMatchObject([
      {
        url: `${sites.origin('adtech')}/.well-known/attribution-reporting/report-event-attribution`,
        body: {
          source_event_id: '42',
          trigger_data: '3',
          source_type: 'navigation',
          attribution_destination: 'http://shop.localhost',
          scheduled_report_time: String(Date.parse('2030-01-03T00:00:00Z') / 1000),
        },
      },
    ]);
  });
});
