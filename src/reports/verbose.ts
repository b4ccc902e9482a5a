import type {
  AggregatableOutcome,
  SingleDecision,
  SourceDecision,
  SourceRejection,
  TriggerDrop,
} from '../model/decision';
import type { Json, JsonObject } from '../model/json';
import type { Addressee, Report, Source } from '../model/records';
import type { Trigger } from '../model/trigger';
import type { Moment, Origin, Site } from '../model/units';
import { verboseReport, type DebugItem } from '../../formats/reports/debug-report';
import { sites } from '../../formats/reports/sites';
import type { Work } from '../work';
import { addresseeOf, reportUrl } from './body';

/** ARA, "verbose debug data". All of one report is about the same source. */
export interface VerboseData extends DebugItem {
  readonly body: JsonObject;
  /** The site of the source that the report is about. Not every body names it. */
  readonly sourceSite?: Site;
}

/** ARA, "obtain and deliver a verbose debug report on source registration"; null if the origin must not be told. */
export function sourceDebugData(
  source: Source,
  decision: SourceDecision,
  destinationLimit: number | null,
): VerboseData | null {
  if (!source.registration.debugReporting || !source.debugAllowed || source.fenced) return null;
  return {
    type: sourceType(source, decision),
    sourceSite: source.sourceSite,
    body: {
      attribution_destination: sites.write(source.registration.destinations),
      ...aboutSource(source),
      ...('limit' in decision && !looksStored(decision) ? { limit: serializeLimit(decision) } : {}),
      ...(destinationLimit === null ? {} : { source_destination_limit: String(destinationLimit) }),
    },
  };
}

function sourceType(source: Source, decision: SourceDecision): string {
  if (decision.kind === 'rejected' && !looksStored(decision)) return decision.reason;
  return source.noise.kind === 'replaced' ? 'source-noised' : 'source-success';
}

/**
 * Hides what other origins did. The specification hides the first two; Chromium's cases also hide
 * `source-reporting-origin-per-site-limit`.
 */
const looksStored = ({ reason }: SourceRejection): boolean =>
  reason === 'source-destination-global-rate-limit' ||
  reason === 'source-reporting-origin-limit' ||
  reason === 'source-reporting-origin-per-site-limit';

/** The specification serializes whole limits as strings and leaves out those in bits. */
function serializeLimit(rejection: Extract<SourceDecision, { readonly limit: unknown }>): Json {
  const inBits =
    rejection.reason === 'source-channel-capacity-limit' ||
    rejection.reason === 'source-scopes-channel-capacity-limit';
  return inBits ? rejection.limit : String(rejection.limit);
}

/** Reasons for which ARA has no debug data. */
const unreported: ReadonlySet<string> = new Set([
  'no-event-trigger-data',
  'trigger-source-over-budget',
  'trigger-privacy-budget',
  'trigger-not-credited',
  'trigger-event-no-share',
] satisfies TriggerDrop['reason'][]);

/** ARA, "obtain verbose debug data on trigger registration". */
export function triggerDebugData(
  trigger: Trigger,
  decision: SingleDecision | AggregatableOutcome,
  source: Source | null,
): VerboseData | null {
  if (decision.kind === 'attributed' || unreported.has(decision.reason)) return null;
  if (!trigger.registration.debugReporting || !trigger.debugAllowed || trigger.fenced) return null;
  if (source?.debugAllowed === false) return null;
  const about = source === null ? {} : { sourceSite: source.sourceSite };
  if ('report' in decision)
    return { type: decision.reason, ...about, body: decision.report as VerboseData['body'] };
  const { debugKey } = trigger.registration;
  return {
    type: decision.reason,
    ...about,
    body: {
      ...('limit' in decision ? { limit: String(decision.limit) } : {}),
      ...('name' in decision ? { name: decision.name } : {}),
      attribution_destination: trigger.destination,
      ...(debugKey === null ? {} : { trigger_debug_key: String(debugKey) }),
      ...(source === null ? {} : aboutSource(source)),
    },
  };
}

function aboutSource({ registration, sourceSite }: Source): VerboseData['body'] {
  return {
    source_event_id: String(registration.sourceEventId),
    source_site: sourceSite,
    ...(registration.debugKey === null ? {} : { source_debug_key: String(registration.debugKey) }),
  };
}

/** ARA, "obtain and deliver debug reports on registration header errors". */
export const headerErrorData = (contextSite: Site, header: string, value: string): VerboseData => ({
  type: 'header-parsing-error',
  body: { context_site: contextSite, header, value },
});

/** ARA, "obtain and deliver a verbose debug report": stored like every report, and due at once. Without data there is none. */
export function storeVerboseReport(
  work: Pick<Work, 'draft'> & Addressee,
  data: readonly VerboseData[],
  source: Source | null,
  reportingOrigin: Origin,
  now: Moment,
): void {
  const [first] = data;
  if (first === undefined) return;
  const report: Report = {
    id: work.draft.nextId('reports'),
    kind: 'verbose-debug',
    reportingOrigin,
    url: reportUrl('verbose-debug', reportingOrigin),
    body: verboseReport.write(data),
    reportTime: now,
    nextAttempt: now,
    attempts: [],
    event: null,
    ...(first.sourceSite === undefined ? {} : { sourceSite: first.sourceSite }),
    ...addresseeOf(work, source),
  };
  work.draft.put('reports', report);
}
