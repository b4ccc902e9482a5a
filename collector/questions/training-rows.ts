import { FLOOD } from '../../analysis/estimate/join/source-outputs';
import { lastWindowEnd } from '../../analysis/estimate/join/joined-groups';
import { parsedRegistration } from '../sources/configuration';
import type { Definition } from '../sources/definition';
import type { EventLevelBody } from '../../formats/reports/event-level-report';
import { sortedSites } from '../../analysis/estimate/join/sorted-sites';
import type { SourceFilter } from '../store/source-filter';
import type { IdentifiedConfiguration, StoredSource } from '../store/sources';
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
  /** How many different reports it has; at most 100 are read. */
  readonly reports: number;
  /** Whether its last report window has ended. Only late reports can still change the label. */
  readonly complete: boolean;
}

/** The part of a report that the join needs. */
export type JoinedReport = Pick<StoredReport, 'eventLevel' | 'reportingOrigin'>;

/** The part of a store that the join needs. */
export interface TrainingStore {
  sources(filter: SourceFilter): AsyncIterable<readonly StoredSource[]>;
  /** The first reports of each; so many that a flooded source has too many. */
  reportsOf(sources: readonly StoredSource[]): Promise<readonly JoinedReport[]>;
  configurations(ids: readonly string[]): Promise<readonly IdentifiedConfiguration[]>;
}

type Identity = Pick<StoredSource, 'sourceEventId' | 'sourceType' | 'destinations'>;

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
  // A report that names other destinations belongs to another source, as in the estimates.
  const keyOf = ({ sourceType, destinations, sourceEventId }: Identity, reportingOrigin: string): string =>
    [sourceEventId, reportingOrigin, sourceType, ...sitesOf(destinations)].join(' ');
  for await (const sources of fewSources(store, filter)) {
    await addReaders(store, readers, sources);
    const reports = new Map<string, EventLevelBody[]>();
    const read = new Map<string, number>();
    for (const { eventLevel, reportingOrigin } of await store.reportsOf(sources)) {
      if (eventLevel === null) continue;
      const id = idOf(eventLevel.sourceEventId, reportingOrigin);
      read.set(id, (read.get(id) ?? 0) + 1);
      const key = keyOf(eventLevel, reportingOrigin);
      const others = reports.get(key);
      if (others === undefined) reports.set(key, [eventLevel]);
      else others.push(eventLevel);
    }
    for (const source of sources) {
      const reader = readers.get(source.configuration);
      if (reader === undefined) throw new Error(`the configuration ${source.configuration} is not stored`);
      const own = reports.get(keyOf(source, source.reportingOrigin)) ?? [];
      const isFlooded = (read.get(idOf(source.sourceEventId, source.reportingOrigin)) ?? 0) >= FLOOD;
      yield rowOf(source, isFlooded ? { ...reader, read: () => UNREAD } : reader, own, now);
    }
  }
}

const idOf = (sourceEventId: bigint, reportingOrigin: string): string =>
  `${sourceEventId} ${reportingOrigin}`;

/** The label of a source if some of its reports may not have been read, as in the estimates. */
const UNREAD: Label = { label: null, problem: `there are ${FLOOD} or more reports with its id` };

/** How many rows are read at a time: few, because strangers can send a hundred reports of 8 KiB for each. */
const FEW = 100;

async function* fewSources(
  store: TrainingStore,
  filter: SourceFilter,
): AsyncGenerator<readonly StoredSource[]> {
  for await (const sources of store.sources(filter))
    for (let start = 0; start < sources.length; start += FEW) yield sources.slice(start, start + FEW);
}

function rowOf(
  source: StoredSource,
  { definition, read, weigh, lastWindowEnd }: Reader,
  reports: readonly EventLevelBody[],
  now: Date,
): TrainingRow {
  const label = read(source.time, reports);
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
