import {
  Join,
  lastWindowEnd,
  type JoinOptions,
  type JoinedReport,
  type LoggedSource,
} from '../../analysis/estimate/join';
import { moment, type Moment } from '../../src/model/units';
import { Refusal } from '../refusal';
import type { OpenAfter, ReportRow, SourceRow, SourceTotal, TrueTotal } from '../store/estimate-rows';
import { eventLevelOf } from '../store/reports';
import type { SourceFilter } from '../store/source-filter';
import type { CollectorStore } from '../store/store';
import type { TrueCount } from '../truth/true-counts';
import { MOST_GROUPS } from './limits';
import { estimateConfiguration } from './estimate-configuration';

export type Joined = ReturnType<Join['result']> & { readonly otherKinds: ReadonlyMap<string, number> };

type Configurations = ReadonlyMap<string, LoggedSource['configuration']>;

/**
 * Joins a store's sources with their reports; the result equals that of `cointoss estimate` on its files. The database counts the sources
 * without a report, which are the majority.
 * @throws Refusal when there are too many groups.
 */
export async function joinStore(
  store: CollectorStore,
  filter: SourceFilter,
  groupBy: readonly string[],
  options: JoinOptions & { readonly completeUntil: Moment },
): Promise<Joined> {
  const configurations = await configurationsOf(store);
  const bounds = await store.bounds();
  const openAfter = openAfterOf(configurations, options.completeUntil);
  const totals = await store.sourceTotals(filter, groupBy, openAfter, bounds);
  refuseTooMany(groupBy, totals);
  const reported: SourceRow[] = [];
  for await (const rows of store.reportedSources(filter, groupBy, bounds)) reported.push(...rows);

  const join = new Join(options);
  const times = new Map(openAfter.map(({ configuration, time }) => [configuration, time]));
  const isOpen = ({ configuration, source_time: time }: SourceRow): boolean =>
    time > (times.get(configuration) ?? time);
  const reportedCounts = countBy(reported.map((row) => keyOf({ ...row, open: isOpen(row) })));
  for (const total of totals)
    join.addUnreported(
      { configuration: configurations.get(total.configuration) ?? null, group: total.grouped },
      total.open,
      total.sources - (reportedCounts.get(keyOf(total)) ?? 0),
    );
  for (const row of reported) join.addSource(sourceOf(row, configurations.get(row.configuration) ?? null));
  for await (const rows of store.reportRows(filter, bounds))
    for (const row of rows) join.addReport(reportOf(row));
  return { ...join.result(), otherKinds: await store.otherKinds() };
}

const openAfterOf = (configurations: Configurations, completeUntil: Moment): readonly OpenAfter[] =>
  [...configurations].map(([id, known]) => ({
    configuration: id,
    time: new Date(completeUntil - (known === null ? 0 : lastWindowEnd(known.configuration.shape))),
  }));

/** What happened to the sources for which `joinStore` gives estimates, by configuration and group. */
export async function joinTruth(
  store: CollectorStore,
  filter: SourceFilter,
  groupBy: readonly string[],
  completeUntil: Moment,
  truth: readonly TrueCount[],
): Promise<readonly TrueTotal[]> {
  return store.trueTotals(filter, groupBy, openAfterOf(await configurationsOf(store), completeUntil), truth);
}

function refuseTooMany(groupBy: readonly string[], totals: readonly SourceTotal[]): void {
  groupBy.forEach((name, level) => {
    const groups = new Set(totals.map(({ grouped }) => JSON.stringify(grouped.slice(0, level + 1)))).size;
    if (groups > MOST_GROUPS)
      throw new Refusal(
        'other',
        `group: ${name} makes ${groups} groups of these sources, must be at most ${MOST_GROUPS}`,
      );
  });
}

async function configurationsOf(store: CollectorStore): Promise<Configurations> {
  const stored = await store.allConfigurations();
  return new Map(
    stored.map(({ id, definition }) => {
      const configuration = estimateConfiguration(definition);
      return [id, configuration === null ? null : { name: id, configuration }];
    }),
  );
}

const keyOf = ({ configuration, grouped, open }: Omit<SourceTotal, 'sources'>): string =>
  JSON.stringify([configuration, open, ...grouped]);

function countBy(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

const sourceOf = (row: SourceRow, configuration: LoggedSource['configuration']): LoggedSource => ({
  sourceEventId: BigInt(row.source_event_id),
  reportingOrigin: row.reporting_origin,
  destinations: row.destinations,
  sourceType: row.source_type,
  time: moment(row.source_time.getTime()),
  configuration,
  group: row.grouped,
});

const reportOf = (row: ReportRow): JoinedReport => ({
  ...eventLevelOf(row.body),
  reportingOrigin: row.reporting_origin,
  receivedTime: moment(row.received_time.getTime()),
});
