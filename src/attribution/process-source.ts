import { newAggregatableState } from '../aggregate/attribution';
import { sourceDebugReport } from '../aggregate/debug-report';
import { attributionTo, countAttribution, pairsOf } from '../limits/attribution-limits';
import { partyOf, sourcesBeyondDestinationLimit } from '../limits/destination-claims';
import { checkInformation, checkOwnLimits, checkSharedLimits, countSource } from '../limits/source-limits';
import type { Allowance, LogEntry, SourceDecision } from '../model/decision';
import type { Source, SourceNoise } from '../model/records';
import { allowanceOf, spendOnReport } from '../limits/privacy-budget';
import { after } from '../model/units';
import type { Work } from '../work';
import { randomizedTriggerRate } from '../privacy/randomized-response';
import { candidateKeysOf } from '../store/rows';
import { addresseeOf } from '../reports/body';
import { obtainReportsOf } from '../reports/event-level-report';
import { addReport } from '../reports/pending';
import { sourceDebugData, storeVerboseReport } from '../reports/verbose';
import { ReportSpace } from '../states/report-space';
import { shapeOf } from '../states/source-space';
import { closingTime, labelNoiseFor, rateOf } from './label-noise';
import { addSource, deleteSourcesForDestinationLimit, removeSourcesForScopes } from './remove-sources';

export type SourceCandidate = Pick<
  Source,
  | 'id'
  | 'sourceType'
  | 'sourceOrigin'
  | 'sourceSite'
  | 'reportingOrigin'
  | 'time'
  | 'registration'
  | 'debugAllowed'
  | 'fenced'
>;

/** As the log keeps it. */
type SourceResult = Pick<Extract<LogEntry, { readonly kind: 'source' }>, 'decision' | 'debugReport'>;

/** ARA, "process an attribution source". */
export function processSource(work: Work, candidate: SourceCandidate): SourceResult {
  const unlimited = newSource(work, candidate);
  const allowance = allowanceOf(work, unlimited);
  let source = withAllowance(unlimited, allowance);
  const uninformative = checkInformation(work, source);
  if (uninformative !== null) return conclude(work, source, { kind: 'rejected', ...uninformative });

  source = withNoise(work, source);
  let party = partyOf(work.draft, source);
  const overOwnLimit = checkOwnLimits(work, party, source);
  if (overOwnLimit !== null) {
    return conclude(work, { ...source, noise: { kind: 'truthful' } }, { kind: 'rejected', ...overOwnLimit });
  }
  const beyond = sourcesBeyondDestinationLimit(work, party, source);
  const limit = work.limits.maxDestinationsPerReportingSite;
  const isWithin = !beyond.has(source.id);
  if (!work.trace.check('unexpired-destinations', isWithin, { limit, beyond: beyond.size })) {
    const decision: SourceDecision = { kind: 'rejected', reason: 'source-destination-limit', limit };
    return conclude(work, { ...source, noise: { kind: 'truthful' } }, decision);
  }
  const keys = candidateKeysOf(source);
  if (beyond.size > 0) {
    deleteSourcesForDestinationLimit(work, source, beyond);
    party = partyOf(work.draft, source);
  }
  removeSourcesForScopes(work, source, keys);
  const destinationLimit = beyond.size > 0 ? limit : null;

  const pairs = pairsOf(work.draft, source);
  const overSharedLimit = checkSharedLimits(work, pairs, source);
  if (overSharedLimit !== null) {
    return conclude(work, source, { kind: 'rejected', ...overSharedLimit }, destinationLimit);
  }
  countSource(work, party, pairs, source);
  store(work, source, keys);
  return conclude(
    work,
    source,
    {
      kind: 'stored',
      sourceId: source.id,
      noise: source.noise,
      ...(allowance.kind === 'refused' ? { overBudget: allowance.refusal } : {}),
    },
    destinationLimit,
  );
}

/**
 * The budget may grant less than the registered ε. A source that it refuses is kept all the same: whether it reports must not reveal
 * the rest of the unit's activity (docs/noise.md, "Budget").
 */
function withAllowance(source: Source, { kind, epsilon: eventLevelEpsilon }: Allowance): Source {
  if (kind === 'granted' && eventLevelEpsilon === source.registration.eventLevelEpsilon) return source;
  return {
    ...source,
    ...(kind === 'refused' ? { overBudget: true } : {}),
    registration: { ...source.registration, eventLevelEpsilon },
    randomizedTriggerRate: randomizedTriggerRate(source.states, eventLevelEpsilon),
  };
}

function newSource(work: Work, candidate: SourceCandidate): Source {
  const { measurement } = work;
  const { id, sourceType, sourceOrigin, sourceSite, reportingOrigin, time, debugAllowed, fenced } = candidate;
  const registration =
    debugAllowed || candidate.registration.debugKey === null
      ? candidate.registration
      : { ...candidate.registration, debugKey: null };
  const states = work.caches.statesOf(registration);
  return {
    id,
    sourceType,
    sourceOrigin,
    sourceSite,
    reportingOrigin,
    time,
    expiryTime: after(time, registration.expiry),
    registration,
    attributionScopes: registration.attributionScopes,
    debugAllowed,
    fenced,
    states,
    randomizedTriggerRate: randomizedTriggerRate(states, registration.eventLevelEpsilon),
    noise: { kind: 'truthful' },
    ...(measurement.limits === 'private' ? { countsWhenSent: true } : {}),
    attributable: true,
    reportCount: 0,
    deduplicationKeys: [],
    flexible: registration.flexible ? { conversions: [], pending: [], finalBuckets: new Map() } : null,
    aggregatable: measurement.aggregatableReports ? newAggregatableState(registration) : null,
    ...addresseeOf(work, null),
  };
}

/** The source with the noise of its output: drawn now, or by a mechanism that needs the truth when its window closes. */
function withNoise(work: Work, source: Source): Source {
  const { labelNoise } = work.measurement;
  if (work.noise.kind === 'on' && labelNoise.kind !== 'rr') {
    const { noise, why } = labelNoiseFor(labelNoise, source);
    work.trace.check('mechanism', true, why);
    if (noise !== null) {
      const randomizedTriggerRate = rateOf(work, noise, source.registration.eventLevelEpsilon);
      return { ...source, randomizedTriggerRate, noise: { kind: 'undrawn', mechanism: noise.kind } };
    }
  }
  const noise = chooseNoise(work, source);
  return withOutput(source, noise);
}

/** The source once its output is decided. Its reports, if it has any, are all that it will have. */
function withOutput(source: Source, noise: SourceNoise): Source {
  if (noise.kind === 'truthful') return source;
  const reports = noise.kind === 'replaced' ? noise.reports : 0;
  return { ...source, noise, reportCount: reports, attributable: reports === 0 };
}

/** Draws the output before anything happens: distributed as if the final state were noised (docs/engine.md). */
function chooseNoise({ noise, random, caches }: Work, { registration, states }: Source): SourceNoise {
  if (noise.kind === 'off') return { kind: 'off' };
  const replacedBy = (state: bigint, space: ReportSpace) => ({
    kind: 'replaced' as const,
    state,
    reports: space.decode(state).reduce((sum, placed) => sum + placed.length, 0),
  });
  const spaceOf = (): ReportSpace => new ReportSpace(shapeOf(registration));
  if (noise.kind === 'forced') {
    const space = spaceOf();
    return { ...replacedBy(space.encode(noise.state), space), forced: true };
  }
  const response = caches.responseOf(states, registration.eventLevelEpsilon)(random);
  return response.kind === 'replaced' ? replacedBy(response.state, spaceOf()) : response;
}

function store(work: Work, source: Source, keys: readonly string[]): void {
  const { draft } = work;
  if (source.noise.kind === 'replaced') {
    const state = new ReportSpace(shapeOf(source.registration)).decode(source.noise.state);
    for (const report of obtainReportsOf(work, source, state, source.time, true)) addReport(draft, report);
    // A fake report has no single destination, so it counts against all.
    if (!source.countsWhenSent)
      for (const destination of source.registration.destinations)
        countAttribution(work, attributionTo('event-attribution', source, destination, null), source.time);
  }
  addSource(draft, source, keys);
  if (source.overBudget === undefined) spendOnReport(work, source);
  const { labelNoise: noise } = work.measurement;
  const closesAt = source.noise.kind === 'undrawn' ? closingTime(source) : null;
  if (noise.kind !== 'rr' && closesAt !== null)
    draft.put('undrawn', { id: source.id, closesAt, source, noise });
}

/** ARA, "obtain and deliver debug reports on source registration". */
function conclude(
  work: Work,
  source: Source,
  decision: SourceDecision,
  destinationLimit: number | null = null,
): SourceResult {
  const data = sourceDebugData(source, decision, destinationLimit);
  if (data !== null) storeVerboseReport(work, [data], source, source.reportingOrigin, source.time);
  const debugReport = sourceDebugReport(work, source, decision, destinationLimit !== null);
  return { decision, ...(debugReport === null ? {} : { debugReport }) };
}
