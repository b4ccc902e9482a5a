import fc from 'fast-check';
import type { RateLimitRecord, Report, Source } from '../../src/model/records';
import { days } from '../../src/model/units';
import { siteOf } from '../../src/parsing/site';
import type { Store } from '../../src/store/store';
import { limits, source, trigger } from './helpers/crowd';
import { conditions, newEngine } from './helpers/engine';
import { isLong } from './helpers/is-long';

/*
 * Any registrations, most of them at the same time, in any order, under limits so small that all of them bind: nothing
 * throws, and after each no count of the store is beyond its limit.
 */

/** How many distinct values each group has, at most. */
function most<T>(rows: readonly T[], group: (row: T) => string, value: (row: T) => string | number): number {
  const groups = new Map<string, Set<string | number>>();
  for (const row of rows) groups.set(group(row), (groups.get(group(row)) ?? new Set()).add(value(row)));
  return Math.max(0, ...[...groups.values()].map(({ size }) => size));
}

async function expectWithinLimits(store: Store): Promise<readonly string[]> {
  const [sources, reports, records] = await store.read(
    async (tx): Promise<[Source[], Report[], RateLimitRecord[]]> => [
      await tx.table('sources').latest(1e6),
      await tx.table('reports').latest(1e6),
      await tx.table('rateLimits').latest(1e6),
    ],
  );
  const pending = reports.flatMap(({ event, kind }) =>
    event !== null && kind === 'event-level' ? [event] : [],
  );
  const attributions = records.filter(({ scope }) => scope === 'event-attribution');
  const registered = records.filter(({ scope }) => scope === 'source');
  const pair = ({ sourceSite, destination }: RateLimitRecord): string => `${sourceSite} ${destination}`;
  const parties = ({ sourceSite, reportingSite }: RateLimitRecord): string =>
    `${sourceSite} ${reportingSite}`;
  // In whatever order they came: the last of those within a window counted all others.
  const mostWithin = (
    window: number,
    group: (record: RateLimitRecord) => string,
    value: (record: RateLimitRecord) => string,
  ): number =>
    Math.max(
      0,
      ...registered.map(({ time: from }) =>
        most(
          registered.filter((record) => record.time >= from && record.time < from + window),
          group,
          value,
        ),
      ),
    );
  const site = ({ sourceSite }: RateLimitRecord): string => sourceSite;
  const destinationOf = ({ destination }: RateLimitRecord): string => destination;
  const live = registered.filter(({ deactivatedForDestinationLimit }) => !deactivatedForDestinationLimit);

  const counts: [string, number, number][] = [
    [
      'sources',
      most(
        sources,
        (row) => row.sourceOrigin,
        (row) => row.id,
      ),
      limits.maxSourcesPerOrigin,
    ],
    [
      // Only the conversion's destination is looked at, so a report with two can be one too many for the other.
      'reports per destination',
      most(
        pending.flatMap(({ destinations }, index) =>
          destinations.length === 1 ? [{ destinations, index }] : [],
        ),
        ({ destinations }) => destinations.join(),
        ({ index }) => index,
      ),
      limits.maxEventLevelReportsPerDestination,
    ],
    [
      'reports per source',
      most(
        pending.map((event, index) => ({ ...event, index })),
        (row) => String(row.sourceId),
        (row) => row.index,
      ),
      2,
    ],
    ['reports counted by a source', Math.max(0, ...sources.map(({ reportCount }) => reportCount)), 2],
    [
      'attributions',
      most(
        attributions,
        (row) => `${pair(row)} ${row.reportingSite}`,
        (row) => row.id,
      ),
      limits.maxAttributions,
    ],
    [
      'attributing origins',
      most(attributions, pair, (row) => row.reportingOrigin),
      limits.maxAttributionReportingOrigins,
    ],
    [
      'registering origins',
      most(registered, pair, (row) => row.reportingOrigin),
      limits.maxSourceReportingOrigins,
    ],
    [
      'origins per site',
      mostWithin(limits.originRateLimitWindow, parties, (row) => row.reportingOrigin),
      limits.maxReportingOriginsPerSourceReportingSite,
    ],
    [
      'destinations per minute',
      mostWithin(limits.destinationRateLimitWindow, site, destinationOf),
      limits.maxDestinationsPerRateLimitWindow,
    ],
    [
      'destinations per minute and reporting site',
      mostWithin(limits.destinationRateLimitWindow, parties, destinationOf),
      limits.maxDestinationsPerRateLimitWindowAndReportingSite,
    ],
    [
      'destinations per day and reporting site',
      mostWithin(days(1), parties, destinationOf),
      limits.maxDestinationsPerReportingSiteAndDay,
    ],
    ['destinations per site', most(live, parties, destinationOf), limits.maxDestinationsPerReportingSite],
  ];
  // One for all, because a jest `expect` costs more than a registration.
  expect(counts.filter(([, count, limit]) => !(count <= limit))).toEqual([]);
  expect(sources.every(({ registration }) => registration.destinations.length > 0)).toBe(true);
  expect(
    records.every(({ reportingOrigin, reportingSite }) => siteOf(reportingOrigin) === reportingSite),
  ).toBe(true);
  return counts.filter(([, count, limit]) => count === limit).map(([name]) => name);
}

test('registrations in any order never throw and never exceed a limit', async () => {
  const reached = new Set<string>();
  const registrations = fc.array(fc.oneof(source, { weight: 2, arbitrary: trigger }), {
    minLength: 10,
    maxLength: 60,
  });
  const permutations = registrations.chain((list) =>
    fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
  );
  await fc.assert(
    fc.asyncProperty(permutations, async (order) => {
      const { engine, store } = newEngine({ limits });
      for (const registration of order) {
        const entry = await engine.register(registration, conditions());
        expect(entry.kind).not.toBe('refused');
        for (const name of await expectWithinLimits(store)) reached.add(name);
      }
    }),
    // Has its own seed, so that it always reaches the asserted cases.
    { numRuns: isLong ? 200 : 100, seed: 4 },
  );
  // Without limits that bind, nothing would be tested.
  expect([...reached].sort()).toEqual(
    [
      'attributing origins',
      'attributions',
      'destinations per day and reporting site',
      'destinations per minute',
      'destinations per minute and reporting site',
      'destinations per site',
      'origins per site',
      'registering origins',
      'reports counted by a source',
      'reports per destination',
      'reports per source',
      'sources',
    ].sort(),
  );
});
