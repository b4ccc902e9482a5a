import { joinWriters } from '../../../collector/store/arrival';
import { openDatabase } from '../../../collector/store/open-database';
import { anyReport } from '../helpers/any-report';
import { CollectorStore } from '../../../collector/store/store';
import { describeServer } from '../helpers/collector-stores';

// PGlite does one thing at a time.
describeServer((stores) => {
  test('while a log of sources is being stored the dashboard is answered and reports are taken', async () => {
    const url = await stores().fresh();
    const store = await CollectorStore.open(url);
    const other = await openDatabase(url, () => Promise.resolve());
    await other.transaction(async (queries) => {
      await joinWriters(queries, 'sources');
      const asked = await store.asking();
      expect(await asked.newestSource()).toBe(0);
      const newest = asked.newestReports(anyReport, 0, 1);
      const added = store.add({
        kind: 'verbose-debug',
        reportId: 'a',
        reportingOrigin: 'https://ads.example',
        reportUrl: null,
        receivedTime: new Date(),
        body: '[]',
        eventLevel: null,
      });
      expect(await added).toBe('stored');
      await newest;
    });
    await other.close();
    await store.close();
  });
});
