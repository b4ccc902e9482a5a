import { randomBytes, randomUUID } from 'node:crypto';
import { isDataError } from '../../../collector/store/database';
import type { ReceivedReport } from '../../../collector/store/reports';
import { CollectorStore } from '../../../collector/store/store';
import { describeStores } from '../helpers/collector-stores';

const reportFor = (reportingOrigin: string): ReceivedReport => ({
  kind: 'verbose-debug',
  reportId: randomUUID(),
  reportingOrigin,
  reportUrl: null,
  receivedTime: new Date(),
  body: '[]',
  eventLevel: null,
});

describeStores((stores) => {
  // Random, because the index compresses; the intake refuses such an origin before it gets here.
  test('a report that the database refuses fails alone, and as data that will be refused again', async () => {
    const store = await CollectorStore.open(await stores().fresh());
    const origins = ['https://a.example', `https://${randomBytes(4000).toString('hex')}.example`];
    const [first, bad, ...others] = await Promise.allSettled(
      [...origins, 'https://b.example', 'https://c.example'].map((origin) => store.add(reportFor(origin))),
    );
    const stored = { status: 'fulfilled', value: 'stored' };
    expect([first, ...others]).toEqual([stored, stored, stored]);
    expect(bad?.status === 'rejected' && isDataError(bad.reason)).toBe(true);
    await store.close();
  });
});
