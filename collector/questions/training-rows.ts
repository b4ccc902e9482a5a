import { lastWindowEnd } from '../../analysis/estimate/joined-groups';
import { parsedRegistration } from '../sources/configuration';
import type { Definition } from '../sources/definition';
import { sortedSites } from '../../analysis/estimate/sorted-sites';
import type { SourceFilter } from '../store/source-filter';
import type { Configuration, StoredSource } from '../store/sources';
import type { StoredReport } from '../store/reports';
import { labelReader, type Label, type LabelReader } from './label';
import { weightReader, type LossWeights, type WeightReader } from './loss-weights';

/** A training example: a source with the label from its noised reports. */
export interface TrainingRow {
  readonly source: StoredSource;
  readonly definition: Definition;
  readonly label: Label;
  /** Null without a label, and if the noise cannot be inverted. */
  readonly weights: LossWeights | null;
  /** How many different reports it has. */
  readonly reports: number;
  /** Whether its last report window has ended. Only late reports can still change the label. */
  readonly complete: boolean;
}

/** The part of a report that the join needs. */
export type JoinedReport = Pick<StoredReport, 'eventLevel' | 'reportingOrigin'>;

/** The part of a store that the join needs. */
export interface TrainingStore {
  sources(filter: SourceFilter): AsyncIterable<readonly StoredSource[]>;
  reportsOf(sources: readonly StoredSource[]): Promise<readonly JoinedReport[]>;
  configurations(ids: readonly string[]): Promise<readonly Configuration[]>;
}

type Parties = Pick<StoredSource, 'sourceType' | 'destinations'>;

interface Reader {
  readonly definition: Definition;
  readonly read: LabelReader;
  readonly weigh: WeightReader;
  readonly lastWindowEnd: number;
}

/** Joins each source of the log with its event-level reports, in the log's order. */
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
      // A report that names other destinations belongs to another source, as in the estimates.
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
  reports: readonly JoinedReport[],
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

function groupBySource(reports: readonly JoinedReport[]): ReadonlyMap<string, readonly JoinedReport[]> {
  const groups = new Map<string, JoinedReport[]>();
  for (const report of reports) {
    const group = groups.get(keyOfReport(report));
    if (group === undefined) groups.set(keyOfReport(report), [report]);
    else group.push(report);
  }
  return groups;
}

const keyOfReport = ({ eventLevel, reportingOrigin }: JoinedReport): string =>
  `${String(eventLevel?.sourceEventId)} ${reportingOrigin}`;
