import type { NoiseKind, Report, Source } from '../model/records';
import { after, moment, type Moment } from '../model/units';
import type { Work } from '../work';
import { randomUuid } from '../privacy/uniform';
import type { ReportState } from '../states/report-space';
import { reportsOfState, specOf } from '../states/source-space';
import { eventLevelBody, addresseeOf, reportUrl, type ReportContents } from './body';

/** ARA, "obtain an event-level report". With delays off it is due at `now`. Reports of undrawn sources are held. */
export function obtainReport(work: Work, source: Source, contents: ReportContents, now: Moment): Report {
  const { triggerData, triggerTime, triggerPriority, bucket, attributedTo, fake } = contents;
  const noise = noiseKind(source);
  const held = source.noise.kind === 'undrawn' && attributedTo !== null;
  return {
    id: work.draft.nextId('reports'),
    kind: 'event-level',
    reportingOrigin: source.reportingOrigin,
    sourceSite: source.sourceSite,
    url: reportUrl('event-level', source.reportingOrigin),
    body: eventLevelBody(source, contents, randomUuid(work.random)),
    reportTime: contents.reportTime,
    nextAttempt: work.delay ? contents.reportTime : now,
    attempts: [],
    event: {
      sourceId: source.id,
      sourceTime: source.time,
      destinations: source.registration.destinations,
      triggerData,
      triggerTime: countedTime(source, triggerTime),
      triggerPriority,
      bucket,
      attributedTo,
      ...(source.countsWhenSent ? { countsWhenSent: true } : {}),
      fake,
      held,
    },
    ...(noise === 'off' || noise === 'forced' ? { noise } : {}),
    ...addresseeOf(work, source),
  };
}

/** A conversion before its source, because the clock was set back, counts as simultaneous. Otherwise only fake reports would look later. */
export const countedTime = (source: Source, triggerTime: Moment): Moment =>
  moment(Math.max(source.time, triggerTime));

/** How a source's output came about; `forced`: by the person in debug mode. */
export const noiseKind = ({ noise }: Source): NoiseKind =>
  noise.kind === 'replaced' && noise.forced === true ? 'forced' : noise.kind;

/** The copy of a report that is sent at once if both sides allow debugging (ARA, "attempt to deliver a debug report"). */
export function debugCopy(
  work: Work,
  report: Report,
  now: Moment,
  kind: 'event-level-debug' | 'aggregatable-debug' = 'event-level-debug',
): Report {
  return {
    ...report,
    id: work.draft.nextId('reports'),
    kind,
    url: reportUrl(kind, report.reportingOrigin),
    reportTime: now,
    nextAttempt: now,
    event: null,
  };
}

/** ARA, "obtain a fake report", for each report of a state that noise chose. @param fake false if it is the true state. */
export function obtainReportsOf(
  work: Work,
  source: Source,
  state: ReportState,
  now: Moment,
  fake: boolean,
): Report[] {
  const { registration } = source;
  const reports: Report[] = [];
  for (const { triggerData, windowIndex, bucket } of reportsOfState(registration, state)) {
    const { windows } = specOf(registration, triggerData);
    const start = windowIndex === 0 ? windows.start : windows.ends[windowIndex - 1];
    const end = windows.ends[windowIndex];
    if (start === undefined || end === undefined)
      throw new RangeError(`there is no report window ${windowIndex}`);
    const contents: ReportContents = {
      triggerData,
      triggerTime: after(source.time, start),
      triggerPriority: 0n,
      triggerDebugKeys: null,
      reportTime: after(source.time, end),
      bucket: registration.flexible ? bucket : null,
      attributedTo: null,
      fake,
    };
    reports.push(obtainReport(work, source, contents, now));
  }
  return reports;
}
