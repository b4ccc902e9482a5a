import { pairKey, uncountAttribution, type Pair } from '../limits/attribution-limits';
import type { FinishedReport, InternalId, Report } from '../model/records';
import type { Moment, Site } from '../model/units';
import type { DestinationUse } from '../model/uses';
import type { Draft, Need } from '../store/draft';
import type { Work } from '../work';

/** Stores a new pending report, and counts it. */
export function addReport(draft: Draft, report: Report): void {
  draft.require(() => countsOfReport(report));
  draft.put('reports', report);
  if (isCounted(report)) count(draft, report, 1);
  const id = sourceOf(report);
  if (id === null) return;
  const reports = draft.get('sourceReports', id)?.reports ?? [];
  draft.put('sourceReports', { id, reports: [...reports, report.id] });
}

/** Removes a pending report, and counts it no more. */
export function removeReport(draft: Draft, report: Report): void {
  draft.require(() => countsOfReport(report));
  draft.delete('reports', report.id);
  if (isCounted(report)) count(draft, report, -1);
  const id = sourceOf(report);
  if (id === null) return;
  const reports = (draft.get('sourceReports', id)?.reports ?? []).filter((one) => one !== report.id);
  if (reports.length > 0) draft.put('sourceReports', { id, reports });
  else draft.delete('sourceReports', id);
}

/** Puts a pending report in the place of what it was before. */
export function replaceReport(draft: Draft, before: Report, report: Report): void {
  draft.put('reports', report);
  const change = Number(isCounted(report)) - Number(isCounted(before));
  if (change === 0) return;
  draft.require(() => countsOfReport(report));
  count(draft, report, change);
}

/** Whether it is among those whose number is limited. */
const isCounted = ({ event, attempts }: Report): boolean =>
  event?.countsWhenSent !== true || attempts.length > 0;

/** The pending event-level and aggregatable reports of a source, in the order in which they were made. */
export function pendingReports(draft: Draft, sourceId: InternalId): readonly Report[] {
  const ids = draft.get('sourceReports', sourceId)?.reports ?? [];
  draft.require(() => ids.map((id): Need => ({ of: 'reports', id })));
  return ids.flatMap((id) => draft.get('reports', id) ?? []);
}

/** Loads the pending reports of some sources and what counts them, all at once rather than one source after the other. */
export function requirePendingReports(draft: Draft, sourceIds: readonly InternalId[]): void {
  draft.require(() => sourceIds.map((id): Need => ({ of: 'sourceReports', id })));
  const ids = sourceIds.flatMap((id) => draft.get('sourceReports', id)?.reports ?? []);
  draft.require(() => ids.map((id): Need => ({ of: 'reports', id })));
  draft.require(() =>
    ids.flatMap((id): readonly Need[] => {
      const report = draft.get('reports', id);
      const pair = report === undefined ? null : countedFor(report);
      return [
        // A report that is withdrawn becomes a finished one.
        { of: 'finished', id },
        ...(report === undefined ? [] : countsOfReport(report)),
        ...(pair === null ? [] : [{ of: 'pairUse', id: pairKey(pair) } as const]),
      ];
    }),
  );
}

/** What says how many reports like this there are. */
export function countsOfReport(report: Report): readonly Need[] {
  const { event, aggregatable } = report;
  const [source, destination] = [sourceOf(report), aggregatable?.destination];
  return [
    ...(source === null ? [] : [{ of: 'sourceReports', id: source } as const]),
    ...(event?.destinations ?? []).map((id): Need => ({ of: 'destinationUse', id })),
    ...(destination === undefined ? [] : [{ of: 'destinationUse', id: destination } as const]),
  ];
}

/** The source among whose pending reports one is: an event-level or an aggregatable one. All others are under way at once, so none is withdrawn. */
const sourceOf = ({ kind, event, aggregatable }: Report): InternalId | null =>
  event?.sourceId ?? (kind === 'aggregatable' ? (aggregatable?.sourceId ?? null) : null);

/** For the limits on stored reports. Null reports and debug copies do not count. */
function count(draft: Draft, { kind, event, aggregatable }: Report, by: number): void {
  const change = (id: Site, what: 'eventLevel' | 'aggregatable'): void => {
    const before: DestinationUse = draft.get('destinationUse', id) ?? { id, eventLevel: 0, aggregatable: 0 };
    const use = { ...before, [what]: before[what] + by };
    if (use.eventLevel <= 0 && use.aggregatable <= 0) draft.delete('destinationUse', id);
    else draft.put('destinationUse', use);
  };
  if (kind === 'event-level' && event !== null)
    for (const destination of event.destinations) change(destination, 'eventLevel');
  if (kind === 'aggregatable' && aggregatable !== undefined && aggregatable.sourceId !== null)
    change(aggregatable.destination, 'aggregatable');
}

/** Removes a pending report and records how it ended. */
export function finishReport(draft: Draft, report: Report, end: FinishedReport['end'], time: Moment): void {
  removeReport(draft, report);
  draft.put('finished', { id: report.id, report, end, time });
}

/** Removes an unsent report, as if the conversion had not been attributed. */
export function withdrawReport(
  { draft, limits }: Pick<Work, 'draft' | 'limits'>,
  report: Report,
  end: 'replaced' | 'source-removed',
  time: Moment,
): void {
  finishReport(draft, report, end, time);
  const pair = countedFor(report);
  if (pair !== null) uncountAttribution(draft, limits, pair, report.id, time);
}

/** The pair of sites for which the report counts an attribution. Null for a fake or sent report, which counts for all destinations and stays counted. */
export function countedFor({ event, aggregatable, sourceSite }: Report): Pair | null {
  const destination = event === null ? aggregatable?.destination : event.attributedTo;
  if (event?.countsWhenSent) return null;
  return sourceSite === undefined || destination === undefined || destination === null
    ? null
    : { sourceSite, destination };
}
