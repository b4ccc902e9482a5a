import { randomUUID } from 'node:crypto';
import { TokenKeys } from '../../../collector/intake/token-keys';
import type { ReceivedReport } from '../../../collector/store/reports';
import type { Queries } from '../../../collector/store/database';
import { migrate } from '../../../collector/store/migrations';
import { openDatabase } from '../../../collector/store/open-database';
import { forgetTokens, TokenSpent } from '../../../collector/store/spent-tokens';
import { CollectorStore } from '../../../collector/store/store';
import { rowsDeleted, rowsRead } from '../helpers/collector-rows';
import { describeRows } from '../helpers/collector-stores';
import { TokenTrial } from '../helpers/tokens';

const DAY = 24 * 3_600_000;

/** So many that forgetting them takes a while. */
const ENDED = `INSERT INTO spent_tokens (nonce, key_id, used_for)
  SELECT 'ended ' || number, 'ended', 'a report' FROM generate_series(1, 20000) AS number`;

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

describeRows((stores) => {
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

  test('however many ended, no statement forgets more than 100,000, and each row is read once', async () => {
    const place = await stores().fresh();
    const database = await openDatabase(place, async (opened) => {
      await migrate(opened);
      await opened.query(ENDED.replace('20000', '250000'));
      await opened.query(ENDED.replaceAll('ended', 'present'));
      // As autovacuum does at any time: from now on PostgreSQL plans with statistics in which nearly all tokens have ended.
      await opened.query('ANALYZE spent_tokens');
    });
    /** Of one transaction, because forgetting needs none and PostgreSQL counts for each. */
    const forget = (keyIds: readonly string[]): Promise<{ read: number; forgotten: readonly number[] }> =>
      database.transaction(async (queries) => {
        const forgotten: number[] = [];
        const counted: Queries = {
          async query<Row>(...given: Parameters<Queries['query']>) {
            const before = await rowsDeleted(queries, 'spent_tokens');
            const rows = await queries.query<Row>(...given);
            forgotten.push((await rowsDeleted(queries, 'spent_tokens')) - before);
            return rows;
          },
        };
        const earlier = await rowsRead(queries, 'spent_tokens');
        await forgetTokens(counted, keyIds);
        return { read: (await rowsRead(queries, 'spent_tokens')) - earlier, forgotten };
      });
    const first = await forget(['ended', 'ended before']);
    expect(first.forgotten.reduce((sum, rows) => sum + rows, 0)).toBe(250_000);
    expect(Math.max(...first.forgotten)).toBeLessThanOrEqual(100_000);
    // And one more, to find out whether there are any.
    expect(first.read).toBeLessThanOrEqual(270_001);
    const kept = await database.query('SELECT key_id, count(*)::INTEGER FROM spent_tokens GROUP BY key_id');
    expect(kept).toEqual([{ key_id: 'present', count: 20_000 }]);
    // The next start finds none of them, and reads no token of another key.
    expect(await forget(['ended', 'ended before'])).toEqual({ read: 0, forgotten: [0, 0] });
    await database.close();
  });

  test('collectors that forget at once while reports arrive keep what tokens of other keys were spent for', async () => {
    const place = await stores().fresh();
    const opened = await openDatabase(place, async (database) => {
      await migrate(database);
      await database.query(ENDED);
    });
    await opened.close();
    const first = await CollectorStore.open(place);
    const second = stores().areOnServer ? await CollectorStore.open(place) : first;
    const open = new Set([first, second]);
    const nonces = Array.from({ length: 300 }, (_, index) => `present ${index}`);
    const forgetting = Promise.all(
      [...open].map(async (store) => {
        for (let time = 0; time < 5; time++) await store.forgetTokens(['ended']);
      }),
    );
    // Each is spent for two reports at once, with two collectors if there are.
    const outcomes = await Promise.all(
      nonces.map((nonce) =>
        Promise.allSettled([first, second].map((store) => store.add(spending(nonce, 'present')))),
      ),
    );
    await forgetting;
    for (const both of outcomes) {
      expect(both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))).toEqual(['stored']);
      for (const one of both)
        if (one.status === 'rejected') expect(one.reason as unknown).toBeInstanceOf(TokenSpent);
    }
    for (const store of open) {
      for (const nonce of nonces.slice(0, 20))
        await expect(store.add(spending(nonce, 'present'))).rejects.toThrow(TokenSpent);
      expect((await (await store.asking()).counts()).received).toBe(nonces.length);
    }
    expect(await first.add(spending('ended 1', 'ended'))).toBe('stored');
    await Promise.all([...open].map((store) => store.close()));
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
