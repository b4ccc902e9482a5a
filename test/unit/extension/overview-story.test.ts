import { placeOf, storyOf, type Story, type StoryEvent } from '../../../extension/pages/views/overview/story';
import { itemOf } from '../../../extension/pages/tables/table';
import { log } from '../../../extension/pages/tables/log';
import { reports } from '../../../extension/pages/tables/reports';
import type { LogEntry } from '../../../src/model/decision';
import type { FinishedReport, Report } from '../../../src/model/records';
import type { NoiseMode } from '../../../src/work';
import {
  conditions,
  newEngine,
  pendingReports,
  sourceRegistration,
  triggerRegistration,
} from '../helpers/engine';
import { growthOf } from '../helpers/costs/measure';

const nothing: readonly (readonly number[])[] = new Array<readonly number[]>(8).fill([]);
const oneReport = [[0], ...nothing.slice(1)];

/** An impression that sends one report, and conversions of it: by default one. Rows are projected as the page does it. */
async function told(noise: NoiseMode, truth: boolean, priorities: readonly number[] = [0]) {
  const { engine, store } = newEngine();
  const entries: LogEntry[] = [await engine.register(sourceRegistration(), conditions(noise))];
  for (const priority of priorities)
    entries.push(
      await engine.register(
        triggerRegistration({ event_trigger_data: [{ trigger_data: '0', priority: String(priority) }] }),
        conditions(noise),
      ),
    );
  const finished = await store.read((tx) => tx.table('finished').latest(100));
  const rows = { reports: await pendingReports(store), finished };
  const items = reports.from.flatMap(({ table, project }) =>
    (rows[table as keyof typeof rows] as unknown as readonly (Report & FinishedReport)[]).flatMap((row) => {
      const shown = project(row, truth);
      return shown === null ? [] : [itemOf(reports, row.id, shown)];
    }),
  );
  return {
    log: entries.map((entry) => itemOf(log, entry.id, entry)),
    reports: items,
    ...{ truth, site: null, most: 8 },
  };
}

describe('the story of an impression', () => {
  it('leads from it to its conversion, and from the conversion to a report that waits', async () => {
    const { rows, longest } = storyOf(await told({ kind: 'off' }, true));
    const [row] = rows;
    const [conversion, report] = row?.events ?? [];
    expect(rows).toHaveLength(1);
    expect(conversion).toMatchObject({ lane: 'conversions', kind: 'credited', since: row?.time });
    expect(report).toMatchObject({ lane: 'reports', kind: 'true-report', isWaiting: true });
    expect(report?.since).toBe(conversion?.time);
    expect(longest).toBe((report?.time ?? 0) - (row?.time ?? 0));
  });

  it('leads from it alone to a report that noise made, and the conversion leads nowhere', async () => {
    const { rows } = storyOf(await told({ kind: 'forced', state: oneReport }, true));
    const [conversion, report] = rows[0]?.events ?? [];
    expect(conversion).toMatchObject({ kind: 'dropped' });
    expect(report).toMatchObject({ kind: 'fake-report', since: rows[0]?.time });
  });

  it.each([
    ['a conversion', [0], [0]],
    ['conversions of rising priority', [1, 2, 3, 4, 5, 6], [0, 0, 0]],
  ])('is the same without the truth, whatever noise did, for %s', async (_what, priorities, reported) => {
    // The numbers of reports follow no order in the extension. In the store of this test they do.
    const unnumbered = (event: StoryEvent): StoryEvent =>
      event.lane === 'reports' ? { ...event, words: event.words.replace(/\d+ /, ''), address: [] } : event;
    const withoutNumbers = ({ rows, longest }: Story) => ({
      rows: rows.map((row) => ({ ...row, events: row.events.map(unnumbered) })),
      longest,
    });
    const [honest, forced] = await Promise.all(
      ([{ kind: 'off' }, { kind: 'forced', state: [reported, ...nothing.slice(1)] }] as const).map(
        async (noise) => withoutNumbers(storyOf(await told(noise, false, priorities))),
      ),
    );
    expect(honest?.rows[0]?.events.map(({ words }) => words)).toEqual([
      ...priorities.map((_priority, index) => `conversion ${index + 2}: credited`),
      ...reported.map(() => 'report due: waiting'),
    ]);
    expect(forced).toEqual(honest);
  });

  it('has replaced reports with the truth', async () => {
    const { rows } = storyOf(await told({ kind: 'off' }, true, [1, 2, 3, 4, 5]));
    expect(rows[0]?.events.filter(({ kind }) => kind === 'replaced')).toHaveLength(2);
  });

  it('has the rows of one site alone, and the newest of many', async () => {
    const one = await told({ kind: 'off' }, true);
    expect(storyOf({ ...one, site: 'https://other.example' }).rows).toEqual([]);
    expect(storyOf({ ...one, most: 0 }).rows).toEqual([]);
  });

  it('takes time in proportion to the entries', async () => {
    const [source, trigger] = (await told({ kind: 'off' }, true)).log;
    if (source === undefined || trigger === undefined) throw new Error('there must be two entries');
    const make = (n: number) => ({
      log: Array.from({ length: n }, (_, id) => ({ ...(id % 2 === 0 ? source : trigger), id })),
      ...{ reports: [], truth: true, site: null, most: 8 },
    });
    expect(await growthOf(make, storyOf, 16_000)).toBeNull();
  });
});

describe('the place of a time on the line', () => {
  it('is at the left for now, at the right for the longest, and between them by the logarithm', () => {
    const [minute, day] = [60_000, 86_400_000];
    expect([0, 7 * day].map((elapsed) => placeOf(elapsed, 7 * day))).toEqual([0, 1]);
    expect(placeOf(minute, 7 * day)).toBeGreaterThan(0.05);
    expect(placeOf(day, 7 * day)).toBeLessThan(0.8);
    expect([-minute, 0].map((elapsed) => placeOf(elapsed, 0))).toEqual([0, 0]);
  });
});
