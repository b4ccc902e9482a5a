import { createContributions, requiredBudget } from './contributions';
import { attributionTo, checkAttributionLimits, countAttribution } from '../limits/attribution-limits';
import { CONTRIBUTION_BUDGET, type AggregatableContribution } from '../model/aggregatable';
import type { AggregatableDrop, AggregatableOutcome } from '../model/decision';
import type { AggregatableState, Report, Source } from '../model/records';
import type { Trigger } from '../model/trigger';
import { between } from '../model/units';
import { addReport } from '../reports/pending';
import type { Work } from '../work';
import { aggregatableDebugCopy, obtainAggregatableReport } from './aggregatable-report';

/** What a new source may use. */
export const newAggregatableState = ({
  aggregatable: { namedBudgets, debug },
}: Source['registration']): AggregatableState => ({
  remainingBudget: CONTRIBUTION_BUDGET - (debug?.budget ?? 0),
  remainingNamedBudgets: namedBudgets,
  deduplicationKeys: [],
  reportCount: 0,
  ...(debug === undefined ? {} : { debug: { remainingBudget: debug.budget, reportCount: 0 } }),
});

/**
 * ARA, "trigger aggregatable attribution", for a trigger with aggregatable data. Null reports are not made here.
 * @param share see `createContributions`.
 */
export function triggerAggregatableAttribution(
  work: Work,
  trigger: Trigger,
  source: Source,
  share: (value: number) => number,
): AggregatableOutcome {
  const conversion = matchConversion(work, trigger, source, share);
  const made = 'reason' in conversion ? conversion : makeReport(work, trigger, source, conversion);
  return 'reason' in made
    ? { kind: 'dropped', sourceId: source.id, ...made }
    : { kind: 'attributed', sourceId: source.id, report: made.id };
}

/** A conversion that contributes something to the source's keys. */
interface AggregatableConversion {
  readonly contributions: readonly AggregatableContribution[];
  readonly deduplicationKey: bigint | null;
  /** What the source has used before. */
  readonly before: AggregatableState;
}

/** The checks that need only the trigger and the source, in the specification's order. */
function matchConversion(
  { trace }: Work,
  trigger: Trigger,
  source: Source,
  share: (value: number) => number,
): AggregatableConversion | AggregatableDrop {
  const { deduplicationKeys } = trigger.registration.aggregatable;
  const { registration } = source;
  if (!trace.check('source-within-budget', source.overBudget === undefined, {}))
    return { reason: 'trigger-source-over-budget' };
  const isOpen = between(source.time, trigger.time) < registration.aggregatable.window;
  if (!trace.check('report-window-open', isOpen, { window: isOpen ? 'within' : 'after' }))
    return { reason: 'trigger-aggregate-report-window-passed' };

  const before = source.aggregatable ?? newAggregatableState(registration);
  const matches = trigger.matcherOf(deduplicationKeys)(source);
  const matched = deduplicationKeys.find((_, index) => matches(index));
  const deduplicationKey = matched?.deduplicationKey ?? null;
  const isNew = deduplicationKey === null || !before.deduplicationKeys.includes(deduplicationKey);
  if (!trace.check('deduplication-key', isNew, { key: String(deduplicationKey ?? 'none') }))
    return { reason: 'trigger-aggregate-deduplicated' };

  const contributions = source.aggregatable === null ? [] : createContributions(source, trigger, share);
  return trace.check('aggregatable-contributions', contributions.length > 0, { count: contributions.length })
    ? { contributions, deduplicationKey, before }
    : { reason: 'trigger-aggregate-no-contributions' };
}

/** Stores the report of a conversion and counts it, unless a limit is reached. */
function makeReport(
  work: Work,
  trigger: Trigger,
  source: Source,
  conversion: AggregatableConversion,
): Report | AggregatableDrop {
  const { draft, limits, trace } = work;
  const stored = draft.get('destinationUse', trigger.destination)?.aggregatable ?? 0;
  const limit = limits.maxAggregatableReportsPerDestination;
  if (!trace.within('pending-reports', stored + 1, limit))
    return { reason: 'trigger-aggregate-storage-limit', limit };

  const report = obtainAggregatableReport(work, trigger, source, conversion.contributions);
  const attribution = attributionTo('aggregatable-attribution', source, trigger.destination, report);
  const limited = checkAttributionLimits(work, attribution, trigger.time);
  if (limited !== null) return limited;
  // A trigger with a context id makes a report in any case, so its reports are not counted.
  const isCounted = trigger.registration.aggregatable.contextId === null;
  const used = stateAfter(work, trigger, source, conversion, isCounted);
  if ('reason' in used) return used;

  addReport(draft, report);
  draft.put('sources', { ...source, aggregatable: used });
  if (isCounted) countAttribution(work, attribution, trigger.time);
  const copy = aggregatableDebugCopy(work, report, trigger, source);
  if (copy !== null) addReport(draft, copy);
  return report;
}

/** What the source has used with one more report, unless one of its own limits is reached. */
function stateAfter(
  { trace, limits }: Work,
  trigger: Trigger,
  source: Source,
  { contributions, deduplicationKey: key, before }: AggregatableConversion,
  isCounted: boolean,
): AggregatableState | AggregatableDrop {
  const maxReports = limits.maxAggregatableReportsPerSource;
  if (isCounted && !trace.within('aggregatable-reports-of-source', before.reportCount + 1, maxReports))
    return { reason: 'trigger-aggregate-excessive-reports', limit: maxReports };

  const required = requiredBudget(contributions);
  const spent = CONTRIBUTION_BUDGET - before.remainingBudget;
  if (!trace.within('aggregatable-budget', spent + required, CONTRIBUTION_BUDGET))
    return { reason: 'trigger-aggregate-insufficient-budget', limit: CONTRIBUTION_BUDGET };

  const remainingNamedBudgets = new Map(before.remainingNamedBudgets);
  const budget = namedBudget(trigger, source, before);
  if (budget !== null) {
    const { name, limit, remaining } = budget;
    const values = { name, count: limit - remaining + required, limit };
    if (!trace.check('named-budget', required <= remaining, values))
      return { reason: 'trigger-aggregate-insufficient-named-budget', name, limit };
    remainingNamedBudgets.set(name, remaining - required);
  }
  return {
    ...before,
    remainingBudget: before.remainingBudget - required,
    remainingNamedBudgets,
    deduplicationKeys: key === null ? before.deduplicationKeys : [...before.deduplicationKeys, key],
    reportCount: before.reportCount + (isCounted ? 1 : 0),
  };
}

/** ARA, "find matching budget name", if the source has a budget of that name. */
function namedBudget(
  { registration: { aggregatable }, matcherOf }: Trigger,
  source: Source,
  { remainingNamedBudgets }: AggregatableState,
): { readonly name: string; readonly limit: number; readonly remaining: number } | null {
  const matches = matcherOf(aggregatable.namedBudgets)(source);
  const matched = aggregatable.namedBudgets.find((_, index) => matches(index));
  const name = matched?.name ?? null;
  if (name === null) return null;
  const limit = source.registration.aggregatable.namedBudgets.get(name);
  const remaining = remainingNamedBudgets.get(name);
  return limit === undefined || remaining === undefined ? null : { name, limit, remaining };
}
