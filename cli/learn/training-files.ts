import type { JoinedReport, TrainingStore } from '../../collector/questions/training-rows';
import type { IdentifiedConfiguration } from '../../collector/sources/definition';
import { loggedSource } from '../../collector/sources/logged-source';
import type { StoredSource } from '../../collector/store/sources';
import { parse, strictly } from '../../formats/codec/issues';
import { collectedReport, kindOfLine } from '../../formats/reports/report-line';
import { accept } from '../io/input';
import type { InputFiles } from '../io/input-files';
import { eachRow } from '../io/rows';
import { collectedLine } from '../../analysis/estimate/join/collected-line';

const ROWS_AT_A_TIME = 1000;

export interface TrainingFiles extends TrainingStore {
  /** The file and line of a source, available until the join continues with the next sources. */
  placeOf(source: StoredSource): string;
}

/**
 * A source log and its reports in files, for the join of the collector's training export. Only the reports are in memory.
 * @param until in milliseconds: reports that were due or arrived later are left out.
 * @throws InputError with the line.
 */
export async function trainingFiles(
  log: InputFiles,
  reports: InputFiles,
  until: number,
): Promise<TrainingFiles> {
  const bySource = await readReports(reports, until);
  const known = new Map<string, IdentifiedConfiguration>();
  const places = new Map<number, string>();
  return {
    sources: () => readSources(log, known, places),
    placeOf: ({ id }) => places.get(id) ?? log.names.join(', '),
    // Sources may share an id.
    reportsOf: (some) =>
      Promise.resolve([...new Set(some.map(keyOf))].flatMap((key) => bySource.get(key) ?? [])),
    configurations: (ids) => Promise.resolve(ids.flatMap((id) => known.get(id) ?? [])),
  };
}

/** Adds the configurations of the sources to the known ones, and leaves the places of those of one batch. */
async function* readSources(
  log: InputFiles,
  known: Map<string, IdentifiedConfiguration>,
  places: Map<number, string>,
): AsyncGenerator<readonly StoredSource[]> {
  const source = loggedSource(known);
  let batch: StoredSource[] = [];
  let id = 0;
  for await (const { place, value } of eachRow(log)) {
    id += 1;
    const parsed = accept(place, strictly(parse(value, source)));
    if (parsed === null) continue;
    known.set(parsed.configuration.id, parsed.configuration);
    batch.push({ ...parsed.source, id });
    places.set(id, place);
    if (batch.length < ROWS_AT_A_TIME) continue;
    yield batch;
    batch = [];
    places.clear();
  }
  yield batch;
}

async function readReports(
  input: InputFiles,
  until: number,
): Promise<ReadonlyMap<string, readonly JoinedReport[]>> {
  const bySource = new Map<string, JoinedReport[]>();
  for await (const { place, value } of eachRow(input)) {
    const json = collectedLine(value);
    if (kindOfLine(json) !== 'event-level') continue;
    const report = accept(place, parse(json, collectedReport));
    if ((report.receivedTime ?? report.scheduledTime) > until) continue;
    const { reportingOrigin, triggerData } = report;
    // Mechanisms that omit the trigger data report a value instead.
    const found = { reportingOrigin, eventLevel: { ...report, triggerData: triggerData ?? 0n } };
    const others = bySource.get(keyOf(report));
    if (others === undefined) bySource.set(keyOf(report), [found]);
    else others.push(found);
  }
  return bySource;
}

const keyOf = ({
  sourceEventId,
  reportingOrigin,
}: {
  readonly sourceEventId: bigint;
  readonly reportingOrigin: string;
}): string => `${sourceEventId} ${reportingOrigin}`;
