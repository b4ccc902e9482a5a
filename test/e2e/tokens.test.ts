import type { FastifyInstance } from 'fastify';
import type { Page } from 'puppeteer-core';
import { waitFor } from '../../scenarios/kit';
import type { JsonObject } from '../../src/model/json';
import { EVENT_LEVEL, freshReport, metric, post } from '../unit/helpers/collector-client';
import { idsAt } from '../unit/helpers/collector-load';
import { temporaryCollector } from '../unit/helpers/empty-store';
import { freePort, TokenTrial } from '../unit/helpers/tokens';
import { defaultSettings } from '../../formats/settings/settings';
import { problemsOf } from './helpers/axe';
import { choose, fill, press, shows } from './helpers/internals';
import { source, trigger } from './helpers/registrations';
import { researcher } from './helpers/trials';
import { browsersOfRun, calm, itInSoak, World } from './helpers/world';

/** Runs in a page of the extension: what it keeps of tokens. */
async function keptTokens(): Promise<unknown> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('cointoss');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(new Error('the database does not open'));
  });
  const asked = database.transaction('meta').objectStore('meta').get('tokens');
  const kept = await new Promise<unknown>((resolve) => (asked.onsuccess = () => resolve(asked.result)));
  database.close();
  return kept;
}

const { debug = defaultSettings.debug } = calm;
/** Reports are due in the same period. */
const soon = { event_report_window: 3600 };

describe.each(browsersOfRun)('a trial with tokens (%s)', (name) => {
  const world = new World(name);
  let app: FastifyInstance;
  let trial: TokenTrial;
  let signed: JsonObject;
  let consent: Page;

  beforeAll(async () => {
    const port = await freePort();
    trial = new TokenTrial(5, `http://127.0.0.1:${port}`);
    signed = await researcher.sign(trial.document);
    app = await temporaryCollector({ tokens: trial.options(), rehearsal: true });
    await app.listen({ port, host: '127.0.0.1' });
    await world.start();
  });
  afterAll(async () => {
    await world.stop();
    await app.close();
  });

  const convert = async (id: number): Promise<void> => {
    const { sites } = world;
    const before = (await world.extension.trace()).length;
    const ad = sites.serve('adtech', `/ad-${id}`, { headers: source(id, sites.origin('shop'), soon) });
    await world.open('publisher', `<img attributionsrc="${ad}">`);
    await world.waitForRecorded(before + 1);
    const conversion = sites.serve('adtech', `/conversion-${id}`, { headers: trigger(1) });
    await world.open('shop', `<img src="${conversion}">`);
    await world.waitForRecorded(before + 2);
  };

  it('takes an invitation code, and says why one is refused', async () => {
    consent = await world.extension.openPage('pages/consent.html');
    await waitFor('the page', () => consent.$('#trial-file'));
    await choose(consent, '#trial-file', JSON.stringify(signed));
    await waitFor('the field', () => consent.$('#code'));
    await shows(consent, '#tokens', /5 tokens/);
    expect(await problemsOf(consent, name)).toEqual([]);
    expect(
      await consent.$eval('#accept', (button) => button.ariaDisabled ?? button.hasAttribute('disabled')),
    ).toBeTruthy();
    await fill(consent, '#code', 'ABCDE-FGHJK-MNPQR-STVWX');
    await press(consent, '#accept');
    await shows(consent, '#problem', /does not know this invitation code/);
    await fill(consent, '#code', trial.invite());
    await press(consent, '#accept');
    await waitFor('the trial', async () => (await world.extension.participation()).trial !== null);
    expect((await world.extension.participation()).trial).toEqual(signed);
    await waitFor('the page', async () => (await consent.$('#code')) === null);
  });

  it('spends one for each report, and no stranger can send one', async () => {
    await world.extension.settings({ debug });
    await convert(1);
    await world.extension.deliverAll();
    const ids = await waitFor('the report', async () => {
      const found = await idsAt(trial.collector);
      return found.length > 0 ? found : null;
    });
    expect(ids).toHaveLength(1);
    const [sent] = await world.extension.finished();
    expect(sent).toMatchObject({ end: 'delivered', report: { attempts: [{ outcome: { status: 200 } }] } });
    const forged = await post(trial.collector + EVENT_LEVEL, freshReport());
    expect([forged.status, forged.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringMatching(/^PrivateToken /),
    ]);
    expect(await idsAt(trial.collector)).toEqual(ids);
    expect(await metric(trial.collector, 'cointoss_refused_total')).toMatchObject({
      'reason="token-missing"': 1,
    });
    // The token is gone, and nobody has kept it.
    const kept = JSON.stringify(await (await world.extension.page()).evaluate(keptTokens));
    expect(kept.match(/PrivateToken/g)).toHaveLength(4);
  });

  itInSoak('lets reports wait when no token is left, and the report says why', async () => {
    for (let id = 2; id <= 6; id++) await convert(id);
    await world.extension.advance('next-report');
    const waiting = await waitFor('a report without a token', async () => {
      await world.extension.send({ kind: 'send-due' });
      const [next] = await world.extension.reports();
      return next !== undefined && JSON.stringify(next).includes('waits for a token') ? next : null;
    });
    expect(JSON.stringify(waiting)).toContain('waits for a token: those of this period are spent');
    expect(await idsAt(trial.collector)).toHaveLength(5);
  });

  itInSoak('asks for another code when the trial gets another collector', async () => {
    const { document } = new TokenTrial(5, 'http://127.0.0.1:9');
    const changed = await researcher.sign({ ...trial.document, ...document, version: 2 });
    await world.extension.send({ kind: 'offer-trial', trial: changed });
    // A page that nobody sees asks for nothing new.
    await consent.bringToFront();
    await shows(
      consent,
      '#code-meaning',
      /^The code that you used before is only good for the trial and the collector/,
    );
    await world.extension.send({ kind: 'decline', trial: changed });
  });

  it('forgets tokens, and by what the collector knew the device, on withdrawal', async () => {
    await world.extension.send({ kind: 'withdraw' });
    expect(await (await world.extension.page()).evaluate(keptTokens)).toEqual({
      wallet: null,
      enrolling: null,
    });
  });
});
