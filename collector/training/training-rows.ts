import { lastWindowEnd } from '../../analysis/estimate/join';
import { parsedRegistration, type Definition } from '../sources/configuration';
import { sortedSites } from '../../analysis/estimate/sorted-sites';
import type { SourceFilter } from '../store/source-filter';
import type { Configuration, StoredSource } from '../store/sources';
import type { StoredReport } from '../store/reports';
import { labelReader, type Label, type LabelReader } from './label';
import { weightReader, type LossWeights, type WeightReader } from './loss-weights';

/** A source with what its noised reports say of it: an example to learn from. */
export interface TrainingRow {
  readonly source: StoredSource;
  readonly definition: Definition;
  readonly label: Label;
  /** Null without a label, and where the mechanism cannot be undone. */
  readonly weights: LossWeights | null;
  /** How many reports it has, each counted once. */
  readonly reports: number;
  /** Whether its last report window has ended, so that the label will not change but by reports that are late. */
  readonly complete: boolean;
}

/** What the join needs of a store. */
export interface TrainingStore {
  sources(filter: SourceFilter): AsyncIterable<readonly StoredSource[]>;
  reportsOf(sources: readonly StoredSource[]): Promise<readonly StoredReport[]>;
  configurations(ids: readonly string[]): Promise<readonly Configuration[]>;
}

type Parties = Pick<StoredSource, 'sourceType' | 'destinations'>;

interface Reader {
  readonly definition: Definition;
  readonly read: LabelReader;
  readonly weigh: WeightReader;
  readonly lastWindowEnd: number;
}

/** One row for each source of the log, in the log's order, joined with its event-level reports. */
export async function* trainingRows(
  store: TrainingStore,
  filter: SourceFilter,
  now: Date,
): AsyncGenerator<TrainingRow> {
  const readers = new Map<string, Reader>();
  const sitesOf = sortedSites();
  const partiesOf = ({ sourceType, destinations }: Parties): string =>
    [sourceType, ...sitesOf(destinations)].join(' ');
  for await (const sources of store.sources(filter)) {
    await addReaders(store, readers, sources);
    const reports = groupBySource(await store.reportsOf(sources));
    for (const source of sources) {
      const reader = readers.get(source.configuration);
      if (reader === undefined) throw new Error(`the configuration ${source.configuration} is not stored`);
      const parties = partiesOf(source);
      // As for estimates: a report that names others is of another source.
      const own = (reports.get(keyOf(source)) ?? []).filter(
        ({ eventLevel }) => eventLevel !== null && partiesOf(eventLevel) === parties,
      );
      yield rowOf(source, reader, own, now);
    }
  }
}

function rowOf(
  source: StoredSource,
  { definition, read, weigh, lastWindowEnd }: Reader,
  reports: readonly StoredReport[],
  now: Date,
): TrainingRow {
  const label = read(
    source.time,
    reports.flatMap(({ eventLevel }) => eventLevel ?? []),
  );
  const complete = source.time.getTime() + lastWindowEnd <= now.getTime();
  const weights = label.label === null ? null : weigh(label.label);
  return { source, definition, label, weights, reports: reports.length, complete };
}

async function addReaders(
  store: TrainingStore,
  readers: Map<string, Reader>,
  sources: readonly StoredSource[],
): Promise<void> {
  const missing = new Set(sources.map(({ configuration }) => configuration).filter((id) => !readers.has(id)));
  for (const { id, definition } of await store.configurations([...missing]))
    readers.set(id, {
      definition,
      read: labelReader(definition),
      weigh: weightReader(definition),
      lastWindowEnd: lastWindowEnd(parsedRegistration(definition)),
    });
}

const keyOf = ({ sourceEventId, reportingOrigin }: StoredSource): string =>
  `${String(sourceEventId)} ${reportingOrigin}`;

function groupBySource(reports: readonly StoredReport[]): ReadonlyMap<string, readonly StoredReport[]> {
  const groups = new Map<string, StoredReport[]>();
  for (const report of reports) {
    const group = groups.get(keyOfReport(report));
    if (group === undefined) groups.set(keyOfReport(report), [report]);
    else group.push(report);
  }
  return groups;
}

const keyOfReport = ({ eventLevel, reportingOrigin }: StoredReport): string =>
  `${String(eventLevel?.sourceEventId)} ${reportingOrigin}`;
