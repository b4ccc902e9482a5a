import { triggerAggregatableAttribution } from '../aggregate/attribution';
import { triggerDebugReport } from '../aggregate/debug-report';
import { generateNullReports } from '../aggregate/null-reports';
import type {
  AggregatableDecision,
  AggregatableOutcome,
  LogEntry,
  ShareDecision,
  SingleDecision,
  TriggerDecision,
} from '../model/decision';
import type { Source } from '../model/records';
import { rememberedByKey } from '../model/remembered';
import type { Work } from '../work';
import { hasAggregatableData, type FilterPair } from '../model/registration';
import { storeVerboseReport, triggerDebugData } from '../reports/verbose';
import { creditFor, idsFor, listed, type Credit, type Share } from './credit';
import { consider, type Choice } from './considered';
import { triggerEventLevelAttribution } from './event-level';
import { filterMatcher } from './match-filters';
import { findMatchingSources, type MatchingSources } from './find-source';
import { attributionNeeds } from './needs';
import { forgetSources } from './remove-sources';
import type { Trigger } from '../model/trigger';

type KeptShare = Omit<ShareDecision, 'decision'>;

/** The outcome of a conversion at one source, or at none. */
interface Outcome {
  readonly decision: SingleDecision;
  /** Null if the trigger makes no aggregatable reports, or there is no source. */
  readonly aggregatable: AggregatableOutcome | null;
  readonly source: Source | null;
  /** If the values were split. */
  readonly share?: KeptShare;
}

/** As the log keeps it. */
type TriggerResult = Pick<
  Extract<LogEntry, { readonly kind: 'trigger' }>,
  'decision' | 'aggregatable' | 'debugReport'
>;

/** ARA, "trigger attribution". */
export function processTrigger(work: Work, candidate: Omit<Trigger, 'matcherOf'>): TriggerResult {
  const { debugAllowed } = candidate;
  const debugKey = debugAllowed ? candidate.registration.debugKey : null;
  const registration = { ...candidate.registration, debugKey };
  const matcherOf = rememberedByKey((pairs: readonly FilterPair[]) => filterMatcher(pairs, candidate.time));
  const trigger: Trigger = { ...candidate, registration, matcherOf };
  const isAggregatable =
    work.measurement.aggregatableReports && hasAggregatableData(trigger.registration.aggregatable);
  const aggregation: Work | null = isAggregatable ? { ...work, trace: work.trace.beside() } : null;
  const outcomes = attribute({ aggregation, ...work }, trigger);
  for (const { decision, aggregatable: other, source } of outcomes) {
    const made = [decision, other ?? []].flat();
    const data = made.flatMap((each) => triggerDebugData(trigger, each, source) ?? []);
    storeVerboseReport(work, data, source, trigger.reportingOrigin, trigger.time);
  }
  const aggregatable = aggregation === null ? null : concludeAggregation(aggregation, trigger, outcomes);
  // One for each trigger that asks for it, so that their number tells nothing: of a split value, it is about the first source.
  const [first] = outcomes;
  const made = first === undefined ? [] : [first.decision, first.aggregatable ?? []].flat();
  const debugReport = isEmpty(trigger)
    ? null
    : triggerDebugReport(work, trigger, made, first?.source ?? null);
  return {
    decision: decisionOn(outcomes),
    ...(aggregatable === null ? {} : { aggregatable }),
    ...(debugReport === null ? {} : { debugReport }),
  };
}

const isEmpty = ({ registration }: Trigger): boolean =>
  registration.eventTriggerData.length === 0 && !hasAggregatableData(registration.aggregatable);

function decisionOn(outcomes: readonly Outcome[]): TriggerDecision {
  const [only] = outcomes;
  if (only !== undefined && only.share === undefined) return only.decision;
  const shares = outcomes.map(({ decision, share }) => ({ values: [], ...share, decision }));
  return { kind: 'split', shares };
}

function concludeAggregation(
  work: Work,
  trigger: Trigger,
  outcomes: readonly Outcome[],
): AggregatableDecision {
  const sourceTimes = outcomes.flatMap(({ aggregatable, source }) =>
    aggregatable?.kind === 'attributed' && source !== null ? [source.time] : [],
  );
  return {
    checks: work.trace.checks,
    outcomes: outcomes.flatMap(({ aggregatable }) => aggregatable ?? []),
    nullReportDays: generateNullReports(work, trigger, sourceTimes),
  };
}

/** Null: the trigger makes no aggregatable reports. */
interface BothHalves extends Work {
  readonly aggregation: Work | null;
}

/** ARA, "trigger event-level attribution" and then "trigger aggregatable attribution". */
function attributeToSource(
  work: BothHalves,
  trigger: Trigger,
  source: Source,
  share: Share['of'] = (value) => value,
): Outcome {
  const decision = triggerEventLevelAttribution(work, trigger, source, share);
  return { decision, aggregatable: aggregate(work, trigger, source, share), source };
}

function aggregate(
  { draft, aggregation }: BothHalves,
  trigger: Trigger,
  source: Source,
  share: Share['of'],
): AggregatableOutcome | null {
  if (aggregation === null) return null;
  // The event-level half may have changed it.
  const current = draft.get('sources', source.id) ?? source;
  return triggerAggregatableAttribution(aggregation, trigger, current, share);
}

/** @param source null if there is none to which the conversion could be attributed. */
const nowhere = (reason: NowhereReason, source: Source | null = null): readonly Outcome[] => [
  { decision: { kind: 'dropped', sourceId: source?.id ?? null, reason }, aggregatable: null, source },
];

const NO_CHOICE: Choice = { candidates: [], credited: [], isByPriority: true };

type NowhereReason =
  | 'no-event-trigger-data'
  | 'trigger-no-matching-source'
  | 'trigger-no-matching-filter-data'
  | 'trigger-privacy-budget'
  | 'trigger-not-credited';

/** One outcome, or one per source if the value was split. */
function attribute(work: BothHalves, trigger: Trigger): readonly Outcome[] {
  const { draft, trace } = work;
  if (isEmpty(trigger)) {
    trace.check('event-trigger-data', false, {});
    return nowhere('no-event-trigger-data');
  }
  const matching = findMatchingSources(draft, trigger);
  draft.require(() => attributionNeeds(work, trigger, matching));
  trace.consider(() => consider(matching, NO_CHOICE));
  const { all, eligible } = matching;
  const [best] = eligible;
  const { destination } = trigger;
  const found = { eligible: eligible.length, all: all.length, destination };
  if (!trace.found('matching-source', best, found)) return nowhere('trigger-no-matching-source');

  const candidates = withMatchingFilters(work, trigger, matching);
  const isByPriority = work.measurement.attribution.kind === 'priority';
  const note = (credited: readonly Source[]): void => {
    trace.consider(() => consider(matching, { candidates, credited, isByPriority }));
  };
  note(isByPriority ? [best] : []);
  if (candidates.length === 0) return nowhere('trigger-no-matching-filter-data', best);
  const credit = creditFor(work, trigger, candidates);
  note(creditedBy(credit));
  if (credit.kind === 'none') return nowhere(credit.reason);
  if (credit.kind === 'split') return credit.among.map((share) => attributeShare(work, trigger, share));
  const { source } = credit;
  // The conversion credits one impression; the other candidates are forgotten.
  const isOther = ({ id }: Source): boolean => id !== source.id;
  if (credit.forgetsOthers) forgetSources(work, all.filter(isOther));
  return [attributeToSource(work, trigger, source)];
}

function creditedBy(credit: Credit): readonly Source[] {
  if (credit.kind === 'none') return [];
  return credit.kind === 'one' ? [credit.source] : credit.among.map(({ source }) => source);
}

/** ARA checks the filters of the best source only; other models choose among all sources whose filters match. */
function withMatchingFilters(
  { measurement, trace }: Work,
  trigger: Trigger,
  { eligible }: MatchingSources,
): readonly Source[] {
  const asked = measurement.attribution.kind === 'priority' ? eligible.slice(0, 1) : eligible;
  const matches = filterMatcher([trigger.registration], trigger.time);
  const matching = asked.filter((source) => matches(source)(0));
  const found = { count: matching.length, all: asked.length, sources: idsFor(asked) };
  trace.check('filters', matching.length > 0, found);
  return matching;
}

/** Attributes to one source its share of each of the conversion's values. */
function attributeShare(work: BothHalves, trigger: Trigger, { source, of }: Share): Outcome {
  const values = trigger.registration.eventTriggerData.map(({ value }) => of(value));
  const shares = values.filter((value) => value > 0);
  const share = keptShare(trigger, source, values);
  const found = { count: shares.length, values: listed(MOST_VALUES, shares), source: source.id };
  if (work.trace.check('value-share', shares.length > 0 || values.length === 0, found))
    return { share, ...attributeToSource(work, trigger, source, of) };
  const decision = { kind: 'dropped', sourceId: source.id, reason: 'trigger-event-no-share' } as const;
  return { decision, aggregatable: aggregate(work, trigger, source, of), source, share };
}

/** The most values of each source that the log keeps. There can be thousands. */
const MOST_VALUES = 10;

/** From the first that counts: it alone decides what becomes of the share, so the pages can repeat the decision. */
function keptShare(trigger: Trigger, source: Source, values: readonly number[]): KeptShare {
  if (values.length <= MOST_VALUES) return { values };
  const matches = trigger.matcherOf(trigger.registration.eventTriggerData)(source);
  const counting = values.findIndex((value, index) => value > 0 && matches(index));
  const from = Math.max(0, counting);
  return { values: values.slice(from, from + MOST_VALUES), from };
}
