import { createContributions, requiredBudget } from './contributions';
import { attributionTo, checkAttributionLimits, countAttribution } from '../limits/attribution-limits';
import { CONTRIBUTION_BUDGET } from '../model/aggregatable';
import type { AggregatableDrop, AggregatableOutcome } from '../model/decision';
import type { AggregatableState, Source } from '../model/records';
import type { Trigger } from '../model/trigger';
import { between } from '../model/units';
import { addReport } from '../reports/pending';
import type { Work } from '../work';
import { aggregatableDebugCopy, obtainAggregatableReport } from './aggregatable-report';

/** What a new source may use. */
export const unused = ({
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
  const { draft, limits, trace } = work;
  const dropped = (drop: AggregatableDrop): AggregatableOutcome => ({
    kind: 'dropped',
    sourceId: source.id,
    ...drop,
  });
  const { aggregatable } = trigger.registration;
  const { registration } = source;
  if (!trace.check('source-within-budget', source.overBudget === undefined, {}))
    return dropped({ reason: 'trigger-source-over-budget' });
  const isOpen = between(source.time, trigger.time) < registration.aggregatable.window;
  if (!trace.check('report-window-open', isOpen, { window: isOpen ? 'within' : 'after' }))
    return dropped({ reason: 'trigger-aggregate-report-window-passed' });

  const state = source.aggregatable ?? unused(registration);
  const matches = trigger.matcherOf(aggregatable.deduplicationKeys)(source);
  const matched = aggregatable.deduplicationKeys.find((_, index) => matches(index));
  const key = matched?.deduplicationKey ?? null;
  const isNew = key === null || !state.deduplicationKeys.includes(key);
  if (!trace.check('deduplication-key', isNew, { key: String(key ?? 'none') }))
    return dropped({ reason: 'trigger-aggregate-deduplicated' });

  const contributions = source.aggregatable === null ? [] : createContributions(source, trigger, share);
  if (!trace.check('aggregatable-contributions', contributions.length > 0, { count: contributions.length }))
    return dropped({ reason: 'trigger-aggregate-no-contributions' });

  const stored = draft.get('destinationUse', trigger.destination)?.aggregatable ?? 0;
  const maxStored = limits.maxAggregatableReportsPerDestination;
  if (!trace.within('pending-reports', stored + 1, maxStored))
    return dropped({ reason: 'trigger-aggregate-storage-limit', limit: maxStored });

  const report = obtainAggregatableReport(work, trigger, source, contributions);
  const attribution = attributionTo('aggregatable-attribution', source, trigger.destination, report);
  const limited = checkAttributionLimits(work, attribution, trigger.time);
  if (limited !== null) return dropped(limited);

  const counts = aggregatable.contextId === null;
  const maxReports = limits.maxAggregatableReportsPerSource;
  if (counts && !trace.within('aggregatable-reports-of-source', state.reportCount + 1, maxReports))
    return dropped({ reason: 'trigger-aggregate-excessive-reports', limit: maxReports });

  const required = requiredBudget(contributions);
  const spent = CONTRIBUTION_BUDGET - state.remainingBudget;
  if (!trace.within('aggregatable-budget', spent + required, CONTRIBUTION_BUDGET))
    return dropped({ reason: 'trigger-aggregate-insufficient-budget', limit: CONTRIBUTION_BUDGET });

  const budget = namedBudget(trigger, source, state);
  if (budget !== null) {
    const { name, limit, remaining } = budget;
    const values = { name, count: limit - remaining + required, limit };
    if (!trace.check('named-budget', required <= remaining, values))
      return dropped({ reason: 'trigger-aggregate-insufficient-named-budget', name, limit });
  }

  addReport(draft, report);
  draft.put('sources', {
    ...source,
    aggregatable: {
      ...state,
      remainingBudget: state.remainingBudget - required,
      remainingNamedBudgets:
        budget === null
          ? state.remainingNamedBudgets
          : new Map(state.remainingNamedBudgets).set(budget.name, budget.remaining - required),
      deduplicationKeys: key === null ? state.deduplicationKeys : [...state.deduplicationKeys, key],
      reportCount: state.reportCount + (counts ? 1 : 0),
    },
  });
  if (counts) {
    draft.skipIds();
    countAttribution(work, attribution, trigger.time);
  }
  const copy = aggregatableDebugCopy(work, report, trigger, source);
  if (copy !== null) addReport(draft, copy);
  return { kind: 'attributed', sourceId: source.id, report: report.id };
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
