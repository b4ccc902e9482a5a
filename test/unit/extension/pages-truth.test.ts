import 'fake-indexeddb/auto';
import { IdbStore } from '../../../extension/store/idb-store';
import { countedReports } from '../../../extension/background/deliver/counted-reports';
import { snapshotReader } from '../../../extension/pages/data/reader';
import { readReport, reportDueAt, sentLately } from '../../../extension/pages/data/read-report';
import { snapshotOverview } from '../../../extension/pages/data/snapshot-overview';
import type { FinishedReport, Report } from '../../../src/model/records';
import { defaultSettings } from '../../../formats/settings/settings';
import { moment } from '../../../src/model/units';
import type { Snapshot } from '../../../extension/pages/data/snapshot/snapshot';
import { report } from '../helpers/rows';

/** The truth of a source, in whose place another report will leave. */
function held(id: number, nextAttempt: number): Report {
  const row = report(id, nextAttempt, 1);
  return row.event === null ? row : { ...row, event: { ...row.event, held: true } };
}

const finished = (row: Report, end: FinishedReport['end']): FinishedReport => ({
  id: row.id,
  report: row,
  end,
  time: moment(50),
});

const reports = [held(1, 100), report(2, 100, 1)];
const ended = [finished(held(3, 40), 'randomized'), finished(report(4, 40, 1), 'delivered')];

const snapshot: Snapshot = {
  time: 60,
  clockAhead: 0,
  truth: true,
  settings: defaultSettings,
  tables: { sources: [], reports, finished: ended, spends: [], log: [] },
};

describe('a report that is only the truth of a source', () => {
  const reader = snapshotReader(snapshot);

  it.each([
    ['held back', 1, false, null],
    ['held back', 1, true, 1],
    ['waiting', 2, false, 2],
    ['randomized', 3, false, null],
    ['randomized', 3, true, 3],
    ['sent', 4, false, 4],
  ])('is read (%s, number %d) with truth %s as %s', async (_what, id, truth, expected) => {
    expect((await readReport(reader, id, truth))?.report.id ?? null).toBe(expected);
  });

  it.each(['event-level-debug', 'aggregatable-debug', 'verbose-debug'] as const)(
    'is a report of kind %s, which only the truth has beside it',
    async (kind) => {
      const copy = finished({ ...report(5, 40), kind }, 'delivered');
      const debug = snapshotReader({ ...snapshot, tables: { ...snapshot.tables, finished: [copy] } });
      expect(await readReport(debug, 5, false)).toBeNull();
      expect((await readReport(debug, 5, true))?.report.id).toBe(5);
      const ended = { lastFinished: () => Promise.resolve([copy]) };
      expect(await sentLately(ended, false)).toEqual({ count: 0, isAll: true, only: null });
      expect(await sentLately(ended, true)).toEqual({ count: 1, isAll: true, only: 5 });
    },
  );

  it('is not the next report that leaves', async () => {
    expect(await reportDueAt(reader, 100)).toBe(2);
    const alone = snapshotReader({ ...snapshot, tables: { ...snapshot.tables, reports: [held(1, 100)] } });
    expect(await reportDueAt(alone, 100)).toBeNull();
  });

  it('is among those that ended, of which the last 100 are counted, whatever their numbers', async () => {
    const rows = Array.from({ length: 150 }, (_, nth) => ({
      ...finished(report(nth + 10, 40, 1), nth < 140 ? 'given-up' : 'delivered'),
      // The last to end have the least numbers.
      ...{ id: 1000 - nth, time: moment(nth) },
    }));
    const store = await IdbStore.open('the last that ended');
    await store.write((tx) => {
      for (const row of rows) tx.table('finished').put(row);
    });
    expect(await sentLately(store, true)).toEqual({ count: 10, isAll: false, only: null });
    // One of 100 is not known to be the only one that was sent.
    await store.write((tx) => {
      for (const row of rows.slice(-9)) tx.table('finished').put({ ...row, end: 'given-up' });
    });
    expect(await sentLately(store, true)).toEqual({ count: 1, isAll: false, only: null });
    expect((await store.lastFinished(2)).map(({ id }) => id)).toEqual([851, 852]);
  });

  it('is not counted, in a file either', async () => {
    const store = await IdbStore.open('truth is not counted');
    const nothing = { pendingReports: 0, finishedReports: 0 };
    expect(await countedReports(store)).toEqual(nothing);
    await store.write(async (tx) => {
      for (const row of reports) tx.table('reports').put(row);
      for (const row of ended) tx.table('finished').put(row);
      // The oldest, by which the log is kept short, is found all the same.
      expect(await tx.table('finished').first('time')).toMatchObject({ id: 3 });
      expect(await tx.table('finished').upTo('time', Infinity)).toHaveLength(2);
    });
    expect(await countedReports(store)).toEqual({ pendingReports: 1, finishedReports: 1 });
    await store.write((tx) => {
      tx.table('reports').delete(2);
      tx.table('finished').delete(4);
    });
    expect(await countedReports(store)).toEqual(nothing);
    expect(snapshotOverview(snapshot)).toMatchObject({ pendingReports: 1, finishedReports: 1 });
  });
});
