import { replay } from '../../analysis/scenario/replay';
import { parseScenario, type ScenarioReport } from '../../analysis/scenario/scenario';
import { withoutOutputs } from '../../analysis/scenario/without-outputs';
import { isJsonObject, type Json } from '../../src/model/json';
import { chromiumLimits } from '../../src/model/limits';
import { seededRandomSource } from '../../analysis/random/sources';
import { reportPaths } from '../../formats/reports/report-kind';
import { english } from '../../words/english';

/** How many reports a source would make without noise. */
export interface TrueCount {
  readonly reportingOrigin: string;
  readonly sourceEventId: string;
  readonly reports: number;
}

/** What happened. Only a demo knows it: browsers and collector are on one machine there. Leaves out sources without conversions. */
export type Truth = () => Promise<readonly TrueCount[]>;

/** @param reports of a session or log without noise; those of other kinds do not count. */
export function countTruth(
  reports: readonly Pick<ScenarioReport, 'report_url' | 'payload'>[],
): readonly TrueCount[] {
  const counts = new Map<string, TrueCount>();
  for (const { report_url: url, payload } of reports) {
    const { origin, pathname } = new URL(url);
    const id = isJsonObject(payload) ? payload['source_event_id'] : undefined;
    if (pathname !== reportPaths['event-level'] || typeof id !== 'string') continue;
    const key = `${id} ${origin}`;
    const known = counts.get(key)?.reports ?? 0;
    counts.set(key, { reportingOrigin: origin, sourceEventId: id, reports: known + 1 });
  }
  return [...counts.values()];
}

/**
 * The truth of a recorded session.
 * @param document as `recordScenario` writes it
 * @param until report windows that end later are left out
 * @throws Error if the document is not a session
 */
export async function truthOfSession(document: Json, until: number): Promise<readonly TrueCount[]> {
  const { value, errors } = parseScenario(document, chromiumLimits);
  if (value === null) throw new Error(`a scenario was expected: ${english.issuesText(errors)}`);
  const random = seededRandomSource('truth', 0);
  const reports = await replay(withoutOutputs(value), { random: () => random, noise: false });
  return countTruth(reports.filter(({ report_time: time }) => Number(time) <= until));
}
