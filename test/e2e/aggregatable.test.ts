import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DhkemX25519HkdfSha256 } from '@hpke/dhkem-x25519';
import { waitFor } from '../../scenarios/kit';
import type { Json } from '../../src/model/json';
import type { Settings } from '../../formats/settings/settings';
import { parse } from '../../formats/codec/issues';
import { decodePayload } from '../../formats/reports/aggregatable-payload';
import { aggregatableReport } from '../../formats/reports/aggregatable-report';
import { reportPaths } from '../../formats/reports/report-kind';
import { openPayload } from '../../formats/reports/seal-in-browser';
import { PUBLIC_KEYS_PATH, publicKeys } from '../../formats/reports/sealed-payload';
import { emptyStore } from '../unit/helpers/empty-store';
import { startCollectorProcess } from '../unit/helpers/collector-process';
import { goTo } from './helpers/internals';
import { browsersOfRun, isLong, itInSoak, useWorld } from './helpers/world';

const TEN_MINUTES = 10 * 60_000;

async function newKeys(id = 'first'): Promise<{ readonly served: string; readonly secret: Uint8Array }> {
  const kem = new DhkemX25519HkdfSha256();
  const { publicKey, privateKey } = await kem.generateKeyPair();
  const key = new Uint8Array(await kem.serializePublicKey(publicKey));
  return {
    served: JSON.stringify(publicKeys.write({ keys: [{ id, key }] })),
    secret: new Uint8Array(await kem.serializePrivateKey(privateKey)),
  };
}

/** What the command prints. */
async function cointoss(...options: string[]): Promise<string> {
  const command = path.resolve(__dirname, '../../cli/cointoss.mjs');
  return (await promisify(execFile)(process.execPath, [command, ...options])).stdout;
}

describe.each(browsersOfRun)('aggregatable reports (%s)', (name) => {
  const world = useWorld(name);

  /** A click on an ad, and a purchase. */
  const convert = async (): Promise<void> => {
    const { sites } = world;
    const ad = sites.source('adtech', {
      source_event_id: '7',
      destination: sites.origin('shop'),
      aggregation_keys: { bought: '0x159' },
    });
    const page = await world.open(
      'publisher',
      `<a id="ad" attributionsrc="${ad}" href="${sites.page('shop', 'the shop')}">an ad</a>`,
    );
    await page.click('#ad');
    await world.waitForRecorded(1);
    const pixel = sites.trigger('adtech', {
      aggregatable_trigger_data: [{ key_piece: '0x400', source_keys: ['bought'] }],
      aggregatable_values: { bought: 32768 },
    });
    await world.open('shop', `<img src="${pixel}">`);
    await world.waitForRecorded(2);
  };

  itInSoak('are not made unless the settings say so', async () => {
    await world.extension.settings({ collector: world.sites.origin('collector') });
    await convert();
    expect(await world.extension.reports()).toEqual([]);
  });

  it('reach the collector, encrypted for its key, once it serves one', async () => {
    const { sites, extension } = world;
    await extension.settings({ collector: sites.origin('collector'), aggregatableReports: true });
    await convert();
    await extension.advance(TEN_MINUTES);
    const [waiting] = await extension.reports();
    expect(waiting?.kind).toBe('aggregatable');
    // Two, if it was due right after the conversion.
    for (const { outcome } of waiting?.attempts ?? [])
      expect(outcome).toMatchObject({
        kind: 'unreachable',
        error: expect.stringContaining('answered 404') as string,
      });
    expect(waiting?.attempts.length).toBeGreaterThan(0);
    const route = reportPaths.aggregatable;
    expect(sites.received('collector', route)).toEqual([]);

    const { served, secret } = await newKeys();
    sites.serve('collector', PUBLIC_KEYS_PATH, {
      headers: { 'Content-Type': 'application/json' },
      body: served,
    });
    await extension.advance('next-report');
    expect(await extension.finished()).toMatchObject([{ end: 'delivered' }]);
    const [post, ...others] = sites.received('collector', route);
    expect(others).toEqual([]);
    expect(post?.headers['cointoss-report-url']).toBe(sites.origin('adtech') + route);
    const { value, errors } = parse(JSON.parse(post?.body ?? '') as Json, aggregatableReport);
    expect(errors).toEqual([]);
    expect(value).toMatchObject({
      payload: { keyId: 'first', cleartext: null },
      sharedInfo: {
        info: { destination: 'http://shop.localhost', debugMode: null, sourceRegistrationTime: null },
      },
    });
    expect(post?.body).not.toContain('559');
    const opened = await openPayload(
      value?.payload.sealed ?? new Uint8Array(),
      value?.sharedInfo.text ?? '',
      secret,
    );
    const contributions = decodePayload(opened ?? new Uint8Array(), 'attribution-reporting').value;
    expect(contributions?.filter((contribution) => contribution.value > 0)).toEqual([
      { key: 0x559n, value: 32768, filteringId: 0n },
    ]);
    expect(contributions).toHaveLength(20);
  });

  itInSoak(
    'are sealed for a key of the settings, whatever key the collector would give this person',
    async () => {
      const { sites, extension } = world;
      const [own, served] = [await newKeys(), await newKeys('participant-7')];
      sites.serve('collector', PUBLIC_KEYS_PATH, {
        headers: { 'Content-Type': 'application/json' },
        body: served.served,
      });
      const { keys } = JSON.parse(own.served) as { readonly keys: Settings['aggregationKeys'] };
      await extension.settings({
        collector: sites.origin('collector'),
        aggregatableReports: true,
        aggregationKeys: keys,
      });
      await convert();
      await extension.advance('next-report');
      expect(await extension.finished()).toMatchObject([{ end: 'delivered' }]);
      const [post] = sites.received('collector', reportPaths.aggregatable);
      const { value } = parse(JSON.parse(post?.body ?? '') as Json, aggregatableReport);
      expect(value?.payload.keyId).toBe('first');
      const { sealed = new Uint8Array() } = value?.payload ?? {};
      expect(await openPayload(sealed, value?.sharedInfo.text ?? '', own.secret)).not.toBeNull();
      expect(sites.received('collector', PUBLIC_KEYS_PATH)).toEqual([]);
    },
  );

  itInSoak(
    'are sealed for the keys that held when the ad was recorded, whatever the person agreed to since',
    async () => {
      const { sites, extension } = world;
      const [first, second] = [await newKeys(), await newKeys('second')];
      const named = async (collector: string, { served }: typeof first): Promise<void> => {
        const { keys } = JSON.parse(served) as { readonly keys: Settings['aggregationKeys'] };
        const settings = {
          collector: sites.origin(collector),
          aggregatableReports: true,
          aggregationKeys: keys,
        };
        await extension.settings(settings);
      };
      await named('collector', first);
      await convert();
      await named('second', second);
      await extension.advance('next-report');
      expect(await extension.finished()).toMatchObject([{ end: 'delivered' }]);
      const [post] = sites.received('collector', reportPaths.aggregatable);
      const { value } = parse(JSON.parse(post?.body ?? '') as Json, aggregatableReport);
      const { sealed = new Uint8Array() } = value?.payload ?? {};
      expect(await openPayload(sealed, value?.sharedInfo.text ?? '', first.secret)).not.toBeNull();
      expect(sites.received('second', reportPaths.aggregatable)).toEqual([]);
    },
  );

  it('are collected, and become a summary whose interval holds the truth', async () => {
    const { extension } = world;
    const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-summary-'));
    const file = (name: string): string => path.join(folder, name);
    await writeFile(file('public.json'), await cointoss('aggregate', '--new-key', file('private.json')));
    // Making a database takes a processor some seconds.
    const store = isLong ? file('store') : await emptyStore();
    // The clock is turned.
    const served = ['--rehearsal', '--aggregation-key', file('public.json')];
    const collector = await startCollectorProcess(store, served);
    try {
      await extension.settings({ collector: collector.origin, aggregatableReports: true });
      await convert();
      await extension.advance(TEN_MINUTES);
      await waitFor('the report to arrive', async () => (await extension.finished()).length === 1);
      expect(await extension.finished()).toMatchObject([{ end: 'delivered' }]);
      const response = await fetch(`${collector.origin}/reports?kind=aggregatable`);
      await writeFile(file('reports.ndjson'), await response.text());
    } finally {
      await collector.end('SIGTERM');
    }
    await writeFile(file('buckets.csv'), 'bucket\n0x559\n0x159\n');
    const input = ['--reports', file('reports.ndjson'), '--keys', file('private.json')];
    // Of two intervals one misses its sum with a probability of 2e-10. With this ε they are narrow enough to tell the sums apart.
    const noise = ['--epsilon', '1000', '--level', String(1 - 1e-10)];
    const summary = ['--buckets', file('buckets.csv'), ...noise];
    const rows = (await cointoss('aggregate', ...input, ...summary)).trimEnd().split('\n');
    const intervals = rows.map((row) => {
      const { bucket, low, high } = JSON.parse(row) as Record<'bucket' | 'low' | 'high', number | string>;
      return { bucket, holds: [0, 32768].filter((sum) => Number(low) <= sum && sum <= Number(high)) };
    });
    expect(intervals).toEqual([
      { bucket: '0x159', holds: [0] },
      { bucket: '0x559', holds: [32768] },
    ]);
    for (const made of [folder, store]) await rm(made, { recursive: true, force: true });
  });

  itInSoak('are shown in debug mode: what the conversion made, and what each report adds', async () => {
    const { sites, extension } = world;
    await extension.settings({ collector: sites.origin('collector'), aggregatableReports: true });
    await convert();
    const [trigger] = await extension.trace({ kind: 'trigger' });
    const page = await extension.page();
    await goTo(page, `#/triggers/${trigger?.id ?? 0}`);
    const outcome = await page.waitForSelector('#aggregatable-outcome');
    expect(await outcome?.evaluate(({ textContent }) => textContent)).toMatch(
      /^It made 1 report with contributions/,
    );
    const [report] = await extension.reports();
    await goTo(page, `#/reports/${report?.id ?? 0}`);
    const text = (): Promise<string> => page.evaluate(() => document.body.textContent);
    await waitFor('its contributions', async () => (await text()).includes('0x559: 32768'));
  });

  itInSoak('tell of registrations that ask for it, at once, and why they are empty', async () => {
    const { sites, extension } = world;
    const { served, secret } = await newKeys();
    const headers = { 'Content-Type': 'application/json' };
    sites.serve('collector', PUBLIC_KEYS_PATH, { headers, body: served });
    await extension.settings({ collector: sites.origin('collector'), aggregatableReports: true });
    const data = { types: ['trigger-no-matching-source'], key_piece: '0x2', value: 40000 };
    const pixel = sites.trigger('adtech', {
      event_trigger_data: [{}],
      aggregatable_debug_reporting: { key_piece: '0x10', debug_data: [data] },
    });
    await world.open('shop', `<img src="${pixel}">`);
    await world.waitForRecorded(1);
    await world.open('shop', `<img src="${pixel}">`);
    await world.waitForRecorded(2);
    const route = reportPaths['aggregate-debug'];
    await waitFor('two reports', () => Promise.resolve(sites.received('collector', route).length === 2));
    const bodies = sites
      .received('collector', route)
      .map(({ body }) => parse(JSON.parse(body) as Json, aggregatableReport).value);
    const opened = await Promise.all(
      bodies.flatMap((body) =>
        body === null ? [] : openPayload(body.payload.sealed, body.sharedInfo.text, secret),
      ),
    );
    const values = opened.map((payload) =>
      decodePayload(payload ?? new Uint8Array(), 'attribution-reporting-debug').value?.map(
        ({ key, value }) => `${key}: ${value}`,
      ),
    );
    // Both together would be over the budget of a day.
    expect(values.sort()).toEqual([
      ['0: 0', '0: 0'],
      ['18: 40000', '0: 0'],
    ]);

    const [newest] = await extension.trace({ kind: 'trigger' });
    const page = await extension.page();
    await goTo(page, `#/triggers/${newest?.id ?? 0}`);
    const card = await page.waitForSelector('#debug-report');
    expect(await card?.evaluate(({ textContent }) => textContent)).toMatch(/is empty/);
    await page.waitForSelector('[data-check="debug-budget-of-reporting-site"][data-outcome="failed"]');
  });
});
