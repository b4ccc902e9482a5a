import { removeOldRecords } from '../limits/attribution-limits';
import type { TriggerDecision } from '../model/decision';
import type { Source } from '../model/records';
import type { Work } from '../model/work';
import { hasAggregatableData } from '../registration/aggregatable';
import { storeVerboseReport, triggerDebugData } from '../reports/verbose';
import { consider } from './considered';
import { triggerEventLevelAttribution } from './event-level';
import { matchesFilters } from './filters';
import { findMatchingSources, type Trigger } from './find-source';

/** ARA, "trigger attribution". */
export async function processTrigger(work: Work, candidate: Trigger): Promise<TriggerDecision> {
  const { debugAllowed } = candidate;
  const debugKey = debugAllowed ? candidate.registration.debugKey : null;
  const trigger: Trigger = { ...candidate, registration: { ...candidate.registration, debugKey } };
  const { decision, source } = await attribute(work, trigger);
  const data = triggerDebugData(trigger, decision, source);
  if (data !== null) await storeVerboseReport(work.tx, data, trigger.reportingOrigin, trigger.time);
  return decision;
}

async function attribute(
  work: Work,
  trigger: Trigger,
): Promise<{ decision: TriggerDecision; source: Source | null }> {
  const { tx, trace, limits } = work;
  const { registration } = trigger;
  if (registration.eventTriggerData.length === 0 && !hasAggregatableData(registration.aggregatable)) {
    trace.check('event trigger data', false, 'the trigger has none');
    return { decision: { kind: 'dropped', sourceId: null, reason: 'no-event-trigger-data' }, source: null };
  }
  const { all, eligible } = await findMatchingSources(tx, trigger);
  const source = eligible[0] ?? null;
  trace.considered = consider(all, eligible, trigger);
  const found = `${eligible.length} of ${all.length} unexpired sources for ${trigger.destination} with matching scopes`;
  if (!trace.check('matching source', source !== null, found) || source === null) {
    return {
      decision: { kind: 'dropped', sourceId: null, reason: 'trigger-no-matching-source' },
      source: null,
    };
  }
  if (!trace.check('filters', matchesFilters(source, registration, trigger.time), `source ${source.id}`)) {
    return {
      decision: { kind: 'dropped', sourceId: source.id, reason: 'trigger-no-matching-filter-data' },
      source,
    };
  }
  // One conversion credits one impression: whatever lost is not considered again.
  for (const { id } of all) if (id !== source.id) await tx.table('sources').delete(id);
  const decision = await triggerEventLevelAttribution(work, trigger, source);
  await removeOldRecords(tx, limits, trigger.time);
  return { decision, source };
}
