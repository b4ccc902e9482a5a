import { AggregationKeys, keysUrl } from '../../extension/background/aggregation-keys';
import { seededRandomSource } from '../../analysis/random/sources';

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
