import { countDebugBudget, isWithinSites } from '../limits/debug-limits';
import { CONTRIBUTION_BUDGET, type AggregatableContribution } from '../model/aggregatable';
import type {
  AggregatableOutcome,
  DebugReportDecision,
  SingleDecision,
  SourceDecision,
} from '../model/decision';
import type { DebugReportState, Report, Source } from '../model/records';
import type { DebugReporting } from '../model/registration';
import type { Trigger } from '../model/trigger';
import type { Moment, Origin, Site } from '../model/units';
import { randomUuid } from '../privacy/uniform';
import { addresseeOf, reportUrl } from '../reports/body';
import { addReport } from '../reports/pending';
import { sharedInfoText } from '../../formats/reports/aggregatable-report';
import type { Work } from '../work';
import { requiredBudget } from './contributions';

/** What an aggregatable debug report is about. */
interface Subject {
  readonly config: DebugReporting;
  readonly contributions: readonly AggregatableContribution[];
  readonly contextSite: Site;
  readonly reportingOrigin: Origin;
  readonly source: Source | null;
  readonly destination: Site;
  readonly time: Moment;
}

/** ARA, "obtain and deliver an aggregatable debug report on source registration"; null: it makes none. */
export function sourceDebugReport(
  work: Work,
  source: Source,
  decision: SourceDecision,
  isDestinationLimitReplaced: boolean,
): DebugReportDecision | null {
  const { debug: config } = source.registration.aggregatable;
  if (source.fenced || config === undefined || !isOn(work, config)) return null;
  const types = [
    decision.kind === 'rejected'
      ? decision.reason
      : source.noise.kind === 'replaced'
        ? 'source-noised'
        : 'source-success',
    ...(isDestinationLimitReplaced ? ['source-destination-limit-replaced'] : []),
  ];
  const { sourceSite, reportingOrigin, time, registration } = source;
  const [destination = sourceSite] = registration.destinations;
  const contributions = contributionsOf(config, types, config.keyPiece);
  const page = { contextSite: sourceSite, destination, reportingOrigin, time };
  return obtain(work, { config, contributions, source, ...page });
}

/**
 * ARA, "obtain and deliver an aggregatable debug report on trigger registration"; null: it makes none.
 * @param made what became of both halves of the trigger at the source.
 */
export function triggerDebugReport(
  work: Work,
  trigger: Trigger,
  made: readonly (SingleDecision | AggregatableOutcome)[],
  source: Source | null,
): DebugReportDecision | null {
  const { destination, reportingOrigin, time } = trigger;
  const { debug: config } = trigger.registration.aggregatable;
  if (trigger.fenced || config === undefined || !isOn(work, config)) return null;
  const types = made.flatMap((one) => (one.kind === 'dropped' ? [one.reason] : []));
  const keyPiece = config.keyPiece | (source?.registration.aggregatable.debug?.keyPiece ?? 0n);
  const contributions = isForOthers(work, source) ? [] : contributionsOf(config, types, keyPiece);
  const page = { contextSite: destination, destination, reportingOrigin, time };
  return obtain(work, { config, contributions, source, ...page });
}

/** Whether the source was recorded when others were agreed to, or nobody. A report to them, or none, would tell that there is a source. */
const isForOthers = (work: Work, source: Source | null): boolean =>
  source?.aggregatable === null ||
  JSON.stringify(addresseeOf(work, source)) !== JSON.stringify(addresseeOf(work, null));

const isOn = ({ measurement }: Work, { data }: DebugReporting): boolean =>
  measurement.aggregatableReports && data.size > 0;

const contributionsOf = (
  { data }: DebugReporting,
  types: readonly string[],
  keyPiece: bigint,
): readonly AggregatableContribution[] =>
  [...new Set(types)].flatMap((type) => {
    const found = data.get(type);
    return found === undefined
      ? []
      : [{ key: found.keyPiece | keyPiece, value: found.value, filteringId: 0n }];
  });

/** ARA, "obtain and deliver an aggregatable debug report on registration": one in any case, without contributions if a limit is reached. */
function obtain(work: Work, subject: Subject): DebugReportDecision {
  const { draft } = work;
  const trace = work.trace.beside();
  const { contributions, source } = subject;
  const required = requiredBudget(contributions);
  // The halves of a trigger may have changed it.
  const stored = source === null ? undefined : draft.get('sources', source.id);
  const state = stateOf(stored ?? source);
  const hasContributions =
    trace.check('debug-data', contributions.length > 0, { count: contributions.length }) &&
    isWithinSource({ ...work, trace }, state, required) &&
    isWithinSites({ ...work, trace }, subject, required);
  const report = debugReport(work, hasContributions ? subject : { ...subject, contributions: [] });
  addReport(draft, report);
  if (hasContributions) {
    countDebugBudget(draft, subject, required);
    if (stored?.aggregatable != null)
      draft.put('sources', {
        ...stored,
        aggregatable: {
          ...stored.aggregatable,
          debug: {
            remainingBudget: state.remainingBudget - required,
            reportCount: state.reportCount + 1,
          },
        },
      });
  }
  return { report: report.id, checks: trace.checks };
}

const stateOf = (source: Source | null): DebugReportState =>
  source === null
    ? { remainingBudget: CONTRIBUTION_BUDGET, reportCount: 0 }
    : (source.aggregatable?.debug ?? { remainingBudget: 0, reportCount: 0 });

const isWithinSource = ({ trace, limits }: Work, state: DebugReportState, required: number): boolean =>
  trace.within('debug-budget-of-source', required, state.remainingBudget) &&
  trace.within('debug-reports-of-source', state.reportCount + 1, limits.maxAggregatableDebugReportsPerSource);

/** ARA, "obtain and deliver an aggregatable debug report". */
function debugReport(work: Work, subject: Subject): Report {
  const { config, contributions, contextSite, reportingOrigin, source, destination, time } = subject;
  const sharedInfo = sharedInfoText({
    api: 'attribution-reporting-debug',
    destination,
    debugMode: null,
    reportId: randomUuid(work.random),
    reportingOrigin,
    scheduledTime: time,
    sourceRegistrationTime: null,
    version: '1.0',
  });
  return {
    id: work.draft.nextId('reports'),
    kind: 'aggregate-debug',
    reportingOrigin,
    url: reportUrl('aggregate-debug', reportingOrigin),
    body: {
      shared_info: sharedInfo.text,
      aggregation_coordinator_origin:
        config.coordinatorOrigin ?? work.limits.aggregationCoordinatorOrigins[0] ?? '',
    },
    reportTime: time,
    nextAttempt: time,
    attempts: [],
    event: null,
    aggregatable: {
      sourceId: source?.id ?? null,
      destination,
      triggerTime: time,
      contributions,
      filteringIdMaxBytes: 1,
      contextSite,
    },
    ...(source === null ? {} : { sourceSite: source.sourceSite }),
    ...addresseeOf(work, null),
  };
}
