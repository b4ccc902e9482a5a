import fc from 'fast-check';
import type { LimitCounting } from '../../../src/model/mechanisms';
import type { Source } from '../../../src/model/records';
import { days, type Site } from '../../../src/model/units';
import { siteOf } from '../../../src/model/site';
import type { Store } from '../../../transactions/store';
import { limits, source, trigger } from '../helpers/crowd';
import { conditions, newEngine } from '../helpers/engine';
import { isLong } from '../helpers/is-long';

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

/** A source that was stored, on one of its destinations. */
interface Registered extends Source {
  readonly destination: Site;
}

/** Private limits count none of these before they are sent. */
const notBeforeTheyAreSent = ['attributing origins', 'attributions', 'reports per destination'];

async function expectWithinLimits(
  store: Store,
  stored: readonly Source[],
  counting: LimitCounting,
): Promise<readonly string[]> {
  const [sources, reports, parties, pairs] = await store.read(
    async (tx) =>
      [
        await tx.table('sources').latest(1e6),
        await tx.table('reports').latest(1e6),
        await tx.table('partyUse').latest(1e6),
        await tx.table('pairUse').latest(1e6),
      ] as const,
  );
  const pending = reports.flatMap(({ event, kind }) =>
    event !== null && kind === 'event-level' ? [event] : [],
  );
  const attributions = pairs.flatMap((use) =>
    use.attributions.flatMap((one, index) =>
      one.scope === 'event-attribution' ? [{ ...one, pair: use.id, index }] : [],
    ),
  );
  const registered = stored.flatMap((one) =>
    one.registration.destinations.map((destination): Registered => ({ ...one, destination })),
  );
  const pair = ({ sourceSite, destination }: Registered): string => `${sourceSite} ${destination}`;
  const partiesOf = ({ sourceSite, reportingOrigin }: Registered): string =>
    `${sourceSite} ${siteOf(reportingOrigin)}`;
  // In whatever order they came: the last of those within a window counted all others.
  const mostWithin = (
    window: number,
    group: (record: Registered) => string,
    value: (record: Registered) => string,
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
  const site = ({ sourceSite }: Registered): string => sourceSite;
  const destinationOf = ({ destination }: Registered): string => destination;
  const now = Math.max(0, ...stored.map(({ time }) => time));
  const claimed = parties.flatMap(({ id, destinations }) =>
    destinations.flatMap(({ destination, claims }) =>
      claims.some(({ expiry }) => expiry > now) ? [{ id, destination }] : [],
    ),
  );

  const all: [string, number, number][] = [
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
        (row) => `${row.pair} ${siteOf(row.origin)}`,
        (row) => row.index,
      ),
      limits.maxAttributions,
    ],
    [
      'attributing origins',
      most(
        attributions,
        (row) => row.pair,
        (row) => row.origin,
      ),
      limits.maxAttributionReportingOrigins,
    ],
    [
      'registering origins',
      most(registered, pair, (row) => row.reportingOrigin),
      limits.maxSourceReportingOrigins,
    ],
    [
      'origins per site',
      mostWithin(limits.originRateLimitWindow, partiesOf, (row) => row.reportingOrigin),
      limits.maxReportingOriginsPerSourceReportingSite,
    ],
    [
      'destinations per minute',
      mostWithin(limits.destinationRateLimitWindow, site, destinationOf),
      limits.maxDestinationsPerRateLimitWindow,
    ],
    [
      'destinations per minute and reporting site',
      mostWithin(limits.destinationRateLimitWindow, partiesOf, destinationOf),
      limits.maxDestinationsPerRateLimitWindowAndReportingSite,
    ],
    [
      'destinations per day and reporting site',
      mostWithin(days(1), partiesOf, destinationOf),
      limits.maxDestinationsPerReportingSiteAndDay,
    ],
    [
      'destinations per site',
      most(
        claimed,
        (row) => row.id,
        (row) => row.destination,
      ),
      limits.maxDestinationsPerReportingSite,
    ],
  ];
  const counts =
    counting === 'specification' ? all : all.filter(([name]) => !notBeforeTheyAreSent.includes(name));
  // One for all, because a jest `expect` costs more than a registration.
  expect(counts.filter(([, count, limit]) => !(count <= limit))).toEqual([]);
  expect(sources.every(({ registration }) => registration.destinations.length > 0)).toBe(true);
  return counts.filter(([, count, limit]) => count === limit).map(([name]) => name);
}

test.each<[LimitCounting, readonly string[]]>([
  ['specification', []],
  ['private', notBeforeTheyAreSent],
])('registrations in any order never throw and never exceed a limit (%s)', async (counting, others) => {
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
      const stored: Source[] = [];
      for (const registration of order) {
        const entry = await engine.register(registration, conditions(undefined, { limits: counting }));
        expect(entry.kind).not.toBe('refused');
        const added =
          entry.kind === 'source' && entry.decision.kind === 'stored' ? entry.decision.sourceId : 0;
        const row = await store.read((tx) => tx.table('sources').get(added));
        if (row !== undefined) stored.push(row);
        for (const name of await expectWithinLimits(store, stored, counting)) reached.add(name);
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
    ]
      .filter((name) => !others.includes(name))
      .sort(),
  );
});
