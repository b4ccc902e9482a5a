import { placeOf, storyOf } from '../../../extension/pages/views/overview/story';
import { itemOf } from '../../../extension/pages/tables/table';
import { log } from '../../../extension/pages/tables/log';
import { reports } from '../../../extension/pages/tables/reports';
import type { LogEntry } from '../../../src/model/decision';
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

/** An impression, and a conversion of it. */
async function told(noise: NoiseMode, truth: boolean) {
  const { engine, store } = newEngine();
  const entries: LogEntry[] = [await engine.register(sourceRegistration(), conditions(noise))];
  entries.push(await engine.register(triggerRegistration(), conditions(noise)));
  const rows = (await pendingReports(store)).map((report) => ({ report, finished: null }));
  return {
    log: entries.map((entry) => itemOf(log, entry.id, entry)),
    reports: rows.map((row) => itemOf(reports, row.report.id, row)),
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

  it('is the same without the truth, whatever noise did', async () => {
    const withoutIds = (text: string): string =>
      text.replaceAll(/(conversion|report) \d+/g, '$1').replaceAll(/(triggers|reports)",\d+/g, '$1');
    const [honest, forced] = await Promise.all(
      ([{ kind: 'off' }, { kind: 'forced', state: oneReport }] as const).map(async (noise) =>
        storyOf(await told(noise, false)),
      ),
    );
    expect(withoutIds(JSON.stringify(forced))).toBe(withoutIds(JSON.stringify(honest)));
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
