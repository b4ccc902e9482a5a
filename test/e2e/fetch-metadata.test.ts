import { waitFor } from '../../scenarios/kit';
import { reportPaths } from '../../formats/reports/report-kind';
import { PUBLIC_KEYS_PATH } from '../../formats/reports/sealed-payload';
import { browsers, calm, useWorld } from './helpers/world';

/** In ms. */
const AFTER_ALL_WINDOWS = 31 * 86_400_000;

describe.each(browsers)('the extension’s own requests (%s)', (name) => {
  const world = useWorld(name);

  it('say that they come from another site, with each redirect and to the collector', async () => {
    const { sites, extension } = world;
    await extension.settings({ ...calm, collector: sites.origin('collector'), aggregatableReports: true });
    const servers = ['adtech', 'collector', 'uni'];
    for (const server of servers) {
      const page = await world.open(server, '');
      await page.evaluate((name) => (document.cookie = `seen=${name}`), server);
    }
    const source = {
      source_event_id: '1',
      destination: sites.origin('shop'),
      aggregation_keys: { bought: '0x159' },
    };
    const ad = sites.source('adtech', source);
    const redirect = sites.serve('adtech', '/redirect', { status: 302, headers: { Location: ad } });
    await world.open('publisher', `<img attributionsrc="${redirect}">`);
    await world.waitForRecorded(1);
    const pixel = sites.trigger('adtech', {
      event_trigger_data: [{ trigger_data: '1' }],
      aggregatable_trigger_data: [{ key_piece: '0x400', source_keys: ['bought'] }],
      aggregatable_values: { bought: 1 },
    });
    await world.open('shop', `<img src="${pixel}">`);
    await world.waitForRecorded(2);
    const link = sites.serve('uni', '/trial.json', { body: '{}' });
    await expect(extension.send({ kind: 'look-at-trial', link })).rejects.toThrow('must have the field');
    /** What the requests say, and the cookies that they bring. */
    const sent = (server: string, path: string): readonly unknown[] =>
      sites
        .received(server, path)
        .map(({ headers }) => [headers['sec-fetch-site'], headers['cookie']].filter(Boolean).join(' '));
    await extension.advance(AFTER_ALL_WINDOWS);
    await waitFor('the report', () =>
      Promise.resolve(sent('collector', reportPaths['event-level']).length > 0),
    );
    expect([
      sent('adtech', '/redirect'),
      sent('adtech', new URL(ad).pathname),
      sent('collector', PUBLIC_KEYS_PATH).slice(0, 1),
      sent('collector', reportPaths['event-level']).slice(0, 1),
      sent('uni', '/trial.json'),
    ]).toEqual([['cross-site'], ['cross-site'], ['cross-site'], ['cross-site'], ['cross-site']]);
    // A page's own requests keep the browser's word, and its cookies.
    for (const server of servers) {
      const page = await world.open(server, '');
      const own = sites.serve(server, '/own', { body: '' });
      await page.evaluate((url) => fetch(url).then(() => null), own);
      expect(sent(server, '/own')).toEqual([`same-origin seen=${server}`]);
    }
  });
});
