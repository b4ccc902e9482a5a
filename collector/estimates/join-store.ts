import { Join, type CollectedReport, type JoinOptions, type LoggedSource } from '../../src/estimate/join';
import { moment } from '../../src/model/units';
import { siteOfUrl } from '../../src/registration/origin';
import type { ReportRow, SourceRow } from '../store/estimate-rows';
import type { SourceFilter } from '../store/source-filter';
import type { Configuration } from '../store/sources';
import { estimateConfiguration } from './estimate-configuration';

/** What the join needs of a store. */
export interface EstimateStore {
  sourceRows(filter: SourceFilter, groupBy: readonly string[]): AsyncIterable<readonly SourceRow[]>;
  reportRows(filter: SourceFilter): AsyncIterable<readonly ReportRow[]>;
  otherKinds(): Promise<ReadonlyMap<string, number>>;
  configurations(ids: readonly string[]): Promise<readonly Configuration[]>;
}

export type Joined = ReturnType<Join['result']> & { readonly otherKinds: ReadonlyMap<string, number> };

/** Brings the sources of a store and their reports together, as `cointoss estimate` does with its files. */
export async function joinStore(
  store: EstimateStore,
  filter: SourceFilter,
  groupBy: readonly string[],
  options: JoinOptions,
): Promise<Joined> {
  const join = new Join(options);
  const sitesOf = sortedSites();
  const known = new Map<string, LoggedSource['configuration']>();
  for await (const rows of store.sourceRows(filter, groupBy)) {
    await addConfigurations(store, known, rows);
    for (const row of rows) join.addSource(sourceOf(row, known.get(row.configuration) ?? null, sitesOf));
  }
  for await (const rows of store.reportRows(filter))
    for (const row of rows) join.addReport(reportOf(row, sitesOf));
  return { ...join.result(), otherKinds: await store.otherKinds() };
}

async function addConfigurations(
  store: EstimateStore,
  known: Map<string, LoggedSource['configuration']>,
  rows: readonly SourceRow[],
): Promise<void> {
  const missing = new Set(rows.map(({ configuration }) => configuration).filter((id) => !known.has(id)));
  for (const { id, definition } of await store.configurations([...missing])) {
    const configuration = estimateConfiguration(definition);
    known.set(id, configuration === null ? null : { name: id, configuration });
  }
}

type SitesOf = (destinations: readonly string[]) => readonly string[];

const sourceOf = (
  row: SourceRow,
  configuration: LoggedSource['configuration'],
  sitesOf: SitesOf,
): LoggedSource => ({
  sourceEventId: BigInt(row.source_event_id),
  reportingOrigin: row.reporting_origin,
  destinations: sitesOf(row.destinations),
  sourceType: row.source_type,
  time: moment(row.source_time.getTime()),
  configuration,
  group: row.grouped,
});

const reportOf = (row: ReportRow, sitesOf: SitesOf): CollectedReport => ({
  reportId: row.report_id,
  sourceEventId: BigInt(row.source_event_id),
  reportingOrigin: row.reporting_origin,
  destinations: sitesOf(row.destinations),
  sourceType: row.source_type,
  // A noisy value stands in place of trigger data.
  triggerData: row.noisy_value === null ? BigInt(row.trigger_data) : null,
  scheduledTime: moment(row.scheduled_time.getTime()),
  receivedTime: moment(row.received_time.getTime()),
  randomizedTriggerRate: row.randomized_trigger_rate,
  summaryBucket:
    row.bucket_first === null || row.bucket_last === null ? null : [row.bucket_first, row.bucket_last],
  noisyValue: row.noisy_value,
});

/** Reports and log may name another origin of a site, and in another order. Logs repeat a few lists. */
function sortedSites(): SitesOf {
  const known = new Map<string, readonly string[]>();
  return (destinations) => {
    const key = destinations.join(' ');
    let sites = known.get(key);
    if (sites === undefined) {
      sites = [...new Set(destinations.map((url) => siteOfUrl(url) ?? url))].sort();
      known.set(key, sites);
    }
    return sites;
  };
}
