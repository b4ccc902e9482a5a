import { randomUUID } from 'node:crypto';
import { TokenKeys } from '../../collector/intake/token-keys';
import type { ReceivedReport } from '../../collector/store/reports';
import { TokenSpent } from '../../collector/store/spent-tokens';
import { CollectorStore } from '../../collector/store/store';
import { describeStores } from './helpers/collector-stores';
import { TokenTrial } from './helpers/tokens';

const DAY = 24 * 3_600_000;

const spending = (nonce: string, keyId: string): ReceivedReport => ({
  kind: 'verbose-debug',
  reportId: randomUUID(),
  reportingOrigin: 'https://ads.example',
  reportUrl: null,
  receivedTime: new Date(),
  body: JSON.stringify([nonce, randomUUID()]),
  eventLevel: null,
  token: { nonce, keyId },
});

describeStores((stores) => {
  test('only the spent tokens of the keys that ended are forgotten, also by the next start', async () => {
    const place = await stores().fresh();
    let store = await CollectorStore.open(place);
    await store.add(spending('a', 'ended'));
    await store.add(spending('b', 'present'));
    await expect(store.add(spending('a', 'ended'))).rejects.toThrow(TokenSpent);
    await store.forgetTokens(['ended']);
    await expect(store.add(spending('b', 'present'))).rejects.toThrow(TokenSpent);
    await store.close();
    store = await CollectorStore.open(place);
    expect(await store.add(spending('a', 'ended'))).toBe('stored');
    await expect(store.add(spending('b', 'present'))).rejects.toThrow(TokenSpent);
    await store.close();
  });
});

test('a key has ended when its tokens were refused for four weeks, and in a rehearsal never', async () => {
  const trial = new TokenTrial();
  // Its first period ended two weeks ago.
  const ended = async (later: number, rehearsal = false): Promise<readonly string[]> =>
    (await TokenKeys.of(trial.options(), rehearsal)).ended(Date.now() + later * DAY);
  expect(await ended(14.9)).toEqual([]);
  expect(await ended(15.1)).toEqual([await trial.keyId(0)]);
  expect(await ended(43.1)).toEqual([await trial.keyId(0), await trial.keyId(1)]);
  expect(await ended(1000, true)).toEqual([]);
});
