import { AggregationKeys, keysUrl } from '../../../extension/background/deliver/aggregation-keys';
import { seededRandomSource } from '../../../analysis/random/sources';
import { sealedBody } from '../../../formats/reports/sealed-body';
import { sealPayload } from '../../../formats/reports/seal-in-browser';
import type { AggregationKey } from '../../../src/model/aggregatable';
import { conditions, newEngine, pendingReports, triggerRegistration } from '../helpers/engine';

afterEach(() => jest.restoreAllMocks());

test('each collector is asked for its keys once, also while the reports of two of them wait, until they are forgotten', async () => {
  const document = (id: string): string =>
    JSON.stringify({ keys: [{ id, key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' }] });
  const asked = jest
    .spyOn(globalThis, 'fetch')
    .mockImplementation((url) => Promise.resolve(new Response(document(url as string))));
  const keys = new AggregationKeys();
  const random = seededRandomSource('keys', 0);
  const collectors = ['https://first.example', 'https://second.example'];
  for (const collector of [...collectors, ...collectors, ...collectors]) {
    const { id } = await keys.key(collector, [], random, new AbortController().signal);
    expect(id).toBe(keysUrl(collector));
  }
  expect(asked).toHaveBeenCalledTimes(2);
  keys.forget();
  await keys.key('https://first.example', [], random, new AbortController().signal);
  expect(asked).toHaveBeenCalledTimes(3);
});

test('a key that a collector serves and that cannot seal anything is refused', async () => {
  // A point of small order: whatever is sealed for it, anybody can open.
  const served = { keys: [{ id: 'first', key: `${'A'.repeat(43)}=` }] };
  jest.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(served));
  const random = seededRandomSource('keys', 0);
  const asked = new AggregationKeys().key('https://first.example', [], random, new AbortController().signal);
  await expect(asked).rejects.toThrow('keys[0].key: must be an X25519 public key');
});

test('a collector that serves each person another key knows them by its id, where the settings name none', async () => {
  const key = { key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=' };
  const idsOf = async (person: string, named: readonly AggregationKey[]): Promise<readonly string[]> => {
    jest
      .spyOn(globalThis, 'fetch')
      .mockImplementation(() =>
        Promise.resolve(new Response(JSON.stringify({ keys: [{ id: person, ...key }] }))),
      );
    const keys = new AggregationKeys();
    const { engine, store } = newEngine();
    await engine.register(triggerRegistration({ aggregatable_values: { a: 1 } }), {
      ...conditions({ kind: 'off' }, { aggregatableReports: true }),
      nullReportDays: [0, 1],
    });
    const reports = (await pendingReports(store)).filter(({ aggregatable }) => aggregatable !== undefined);
    expect(reports.length).toBeGreaterThan(0);
    const random = seededRandomSource('sealing', 0);
    const bodies = reports.map(async (report) =>
      sealedBody(
        report,
        await keys.key('https://first.example', named, random, new AbortController().signal),
        random,
        sealPayload,
      ),
    );
    return (await Promise.all(bodies)).map(
      (body) => /"key_id":"([^"]*)"/.exec(JSON.stringify(body))?.[1] ?? '',
    );
  };
  for (const person of ['ann', 'ben']) expect(new Set(await idsOf(person, []))).toEqual(new Set([person]));
  for (const person of ['ann', 'ben'])
    expect(new Set(await idsOf(person, [{ id: 'named', ...key }]))).toEqual(new Set(['named']));
});
