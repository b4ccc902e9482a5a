import type { AggregatableContribution } from '../model/aggregatable';
import type { JsonObject } from '../model/json';
import type { Limits } from '../model/limits';
import type { Addressee, Report, Source } from '../model/records';
import type { Trigger } from '../model/trigger';
import { after, days, milliseconds, moment, type Duration, type Moment } from '../model/units';
import { randomUuid, uniformBelow } from '../privacy/uniform';
import { isSentUnconditionally, type Unconditional } from '../model/registration';
import { addresseeOf, reportUrl } from '../reports/body';
import { debugCopy } from '../reports/event-level-report';
import { sharedInfoText } from '../../formats/reports/aggregatable-report';
import type { Work } from '../work';

/** ARA, "obtain an aggregatable attribution report". */
export function obtainAggregatableReport(
  work: Work,
  trigger: Trigger,
  source: Source,
  contributions: readonly AggregatableContribution[],
): Report {
  return obtain(work, trigger, { source, sourceTime: source.time, addressee: source, contributions });
}

/** ARA, "obtain a null attribution report". @param addressee null: that of new sources */
export const obtainNullReport = (
  work: Work,
  trigger: Trigger,
  sourceTime: Moment,
  addressee: Addressee | null,
): Report => obtain(work, trigger, { source: null, sourceTime, addressee, contributions: [] });

interface Content {
  readonly source: Source | null;
  readonly sourceTime: Moment;
  readonly addressee: Addressee | null;
  readonly contributions: readonly AggregatableContribution[];
}

function obtain(work: Work, trigger: Trigger, content: Content): Report {
  const { source, sourceTime, contributions } = content;
  const { reportingOrigin, destination, registration } = trigger;
  const { aggregatable } = registration;
  const reportTime = after(trigger.time, deliveryDelay(work, trigger));
  const keys = debugKeys(source, trigger);
  const sharedInfo = sharedInfoText({
    api: 'attribution-reporting',
    destination,
    debugMode: keys === null ? null : 'enabled',
    reportId: randomUuid(work.random),
    reportingOrigin,
    scheduledTime: reportTime,
    sourceRegistrationTime:
      aggregatable.sourceRegistrationTime === 'include' ? roundedSourceTime(sourceTime) : null,
    version: '1.0',
  });
  return {
    id: work.draft.nextId('reports'),
    kind: 'aggregatable',
    reportingOrigin,
    url: reportUrl('aggregatable', reportingOrigin),
    // ARA, "serialize an aggregatable attribution report", without the payload.
    body: {
      shared_info: sharedInfo.text,
      aggregation_coordinator_origin:
        aggregatable.coordinatorOrigin ?? work.limits.aggregationCoordinatorOrigins[0] ?? '',
      ...keys,
      ...(aggregatable.contextId === null ? {} : { trigger_context_id: aggregatable.contextId }),
    },
    reportTime,
    nextAttempt: work.delay ? reportTime : trigger.time,
    attempts: [],
    event: null,
    aggregatable: {
      sourceId: source?.id ?? null,
      destination,
      triggerTime: trigger.time,
      contributions,
      filteringIdMaxBytes: aggregatable.filteringIdMaxBytes,
    },
    ...(source === null ? {} : { sourceSite: source.sourceSite }),
    ...addresseeOf(work, content.addressee),
  };
}

/** ARA, "serialize an attribution debug info"; null unless both sides gave a key. */
function debugKeys(source: Source | null, { registration }: Trigger): JsonObject | null {
  const key = source?.registration.debugKey ?? null;
  return key === null || registration.debugKey === null
    ? null
    : { source_debug_key: String(key), trigger_debug_key: String(registration.debugKey) };
}

/** The copy that is sent at once; null unless both sides allow debugging. */
export const aggregatableDebugCopy = (
  work: Work,
  report: Report,
  trigger: Trigger,
  source: Source,
): Report | null =>
  debugKeys(source, trigger) === null ? null : debugCopy(work, report, trigger.time, 'aggregatable-debug');

/** ARA, "obtain an aggregatable attribution report delivery time". Without noise it is the longest delay, as in Chromium's cases. */
function deliveryDelay({ limits, noise, random }: Work, { registration }: Trigger): Duration {
  const longest = longestDelay(limits, registration.aggregatable);
  const { aggregatableReportDelaySpan: span } = limits;
  if (longest === 0 || span === 0 || noise.kind !== 'on') return longest;
  return milliseconds(longest - span + Number(uniformBelow(random, BigInt(span))));
}

export const longestDelay = (limits: Limits, trigger: Unconditional): Duration =>
  milliseconds(
    isSentUnconditionally(trigger)
      ? 0
      : limits.aggregatableReportMinDelay + limits.aggregatableReportDelaySpan,
  );

/** ARA, "obtain rounded source time": the start of its day. */
export const roundedSourceTime = (time: Moment): Moment => moment(Math.floor(time / days(1)) * days(1));
