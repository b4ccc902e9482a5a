import type { LogEntry } from '../../../src/model/decision';
import { chromiumLimits } from '../../../src/model/limits';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import type { TriggerRegistration } from '../../../src/model/registration';
import type { IgnoredReason } from '../../../formats/codec/mistakes';
import type { Source } from '../../../src/model/records';
import { parseHeader } from '../../../formats/registration/header';
import { parseTrigger } from '../../../formats/registration/trigger';
import { siteOf } from '../../../src/model/site';
import { headerJson } from '../data/header-json';
import type { TriggerEntry } from '../data/trigger-entry';
import { t } from '../../i18n';
import { allOf, bare } from '../words/words';
import { withMatchingFilters } from './filter-change';
import { missedSource } from './missed-source';
import type { WhyStep } from './why';
import { without } from './workbench';

/** What would have let a registration pass the check that it failed. */
export interface Change {
  readonly sentences: readonly string[];
  /** The header with the change; null if no header of its own helps. */
  readonly header: JsonObject | null;
  /** The nearest source, if it is about one. */
  readonly sourceId: number | null;
  /** The entry of the log that it is about, if any. */
  readonly entryId?: number;
}

type Step = Pick<WhyStep, 'name'>;

/**
 * The least change that makes the deciding check pass.
 * @param sources that are stored
 * @param log entries before and after it
 * @returns null where nothing in the registration would help
 */
export function changeFor(
  entry: LogEntry,
  deciding: Step | undefined,
  sources: readonly Source[],
  log: readonly LogEntry[] = [],
): Change | null {
  if (entry.kind === 'ignored') return changeOfIgnored(entry.reason);
  const json = headerJson(entry.header);
  if (deciding === undefined || !isJsonObject(json)) return null;
  if (entry.kind === 'source') return changeOfSource(entry, deciding, json);
  if (entry.kind !== 'trigger') return null;
  const { value } = parseHeader(entry.header, (header) => parseTrigger(header, chromiumLimits));
  return value === null
    ? null
    : changeOfTrigger(entry, deciding, { json, registration: value, sources, log });
}

function changeOfIgnored({ code, values }: IgnoredReason): Change | null {
  if (code === 'not-eligible') return inWords(t('change_not_eligible'));
  if (code === 'no-eligible-click') return inWords(t('change_no_eligible_click'));
  return code === 'unknown-header' ? inWords(t('change_unknown_header', values)) : null;
}

const inWords = (sentence: string): Change => ({ sentences: [sentence], header: null, sourceId: null });

const withHeader = (sentence: string, header: JsonObject, sourceId: number | null = null): Change => ({
  sentences: [sentence],
  header,
  sourceId,
});

function changeOfSource(
  { checks }: Extract<LogEntry, { readonly kind: 'source' }>,
  { name }: Step,
  json: JsonObject,
): Change | null {
  const check = checks.find(({ id, passed }) => id === name && !passed);
  if (check?.id === 'channel-capacity' && typeof check.values.fitting === 'number') {
    // Rounded down, so that it fits.
    const epsilon = Math.floor(check.values.fitting * 1000) / 1000;
    return withHeader(t('change_epsilon', { epsilon }), { ...json, event_level_epsilon: epsilon });
  }
  const scopes = json['attribution_scopes'];
  if (check?.id === 'event-states' && scopes !== undefined && isJsonObject(scopes))
    return withHeader(t('change_event_states', { count: String(check.values.count) }), {
      ...json,
      attribution_scopes: { ...scopes, max_event_states: Number(check.values.count) },
    });
  return null;
}

interface Given {
  readonly json: JsonObject;
  readonly registration: TriggerRegistration;
  readonly sources: readonly Source[];
  readonly log: readonly LogEntry[];
}

function changeOfTrigger(entry: TriggerEntry, { name }: Step, given: Given): Change | null {
  const { json, registration, sources } = given;
  const sourceId = entry.decision.kind === 'split' ? null : entry.decision.sourceId;
  const source = sources.find(({ id }) => id === sourceId);
  const check = entry.checks.find(({ id, passed }) => id === name && !passed);
  switch (name) {
    case 'event-trigger-data':
      return withHeader(t('change_no_data'), { ...json, event_trigger_data: [{ trigger_data: '0' }] });
    case 'matching-source':
      return missed(entry, given.log) ?? nearest(entry, given);
    case 'filters':
      return nearest(entry, given);
    case 'event-trigger-data-filters': {
      const [first] = registration.eventTriggerData;
      if (source === undefined || first === undefined) return null;
      return withHeader(
        t('change_data_filters'),
        withData(json, 0, (data) => withMatchingFilters(data, first, source, entry.time).json),
        source.id,
      );
    }
    case 'deduplication-key': {
      const key = check?.id === 'deduplication-key' ? check.values.key : '';
      const index = registration.eventTriggerData.findIndex((data) => String(data.deduplicationKey) === key);
      if (index < 0) return null;
      const other = String(BigInt(key) + 1n);
      return withHeader(
        t('change_key', { key, other }),
        withData(json, index, (data) => ({ ...data, deduplication_key: other })),
      );
    }
    case 'trigger-data': {
      const wrong = check?.id === 'trigger-data' ? check.values.triggerData : '';
      const index = registration.eventTriggerData.findIndex((data) => String(data.triggerData) === wrong);
      const right = source?.registration.triggerSpecs.flatMap(({ triggerData }) => triggerData) ?? [];
      const [least] = right;
      if (index < 0 || least === undefined) return null;
      return withHeader(
        t('change_trigger_data', { wrong, right: right.map(String).join(', ') }),
        withData(json, index, (data) => ({ ...data, trigger_data: String(least) })),
        source?.id ?? null,
      );
    }
    case 'priority-over-report': {
      if (check?.id !== 'priority-over-report') return null;
      const { priority, lowest } = check.values;
      const index = registration.eventTriggerData.findIndex((data) => String(data.priority) === priority);
      const higher = String(BigInt(lowest) + 1n);
      if (index < 0) return null;
      return withHeader(
        t('change_priority', { priority, higher }),
        withData(json, index, (data) => ({ ...data, priority: higher })),
      );
    }
    default:
      return null;
  }
}

/** The header with one of its `event_trigger_data` changed. */
const withData = (json: JsonObject, index: number, change: (data: JsonObject) => JsonObject): JsonObject => ({
  ...json,
  event_trigger_data: listOf(json['event_trigger_data']).map((data, at) =>
    at === index && isJsonObject(data) ? change(data) : data,
  ),
});

const listOf = (json: Json | undefined): readonly Json[] =>
  Array.isArray(json) ? (json as readonly Json[]) : [];

function missed(entry: TriggerEntry, log: readonly LogEntry[]): Change | null {
  const found = missedSource(entry, log);
  return found === null ? null : { ...inWords(found.sentence), entryId: found.entryId };
}

/** The source that needs the fewest changes to match, the newest of several; null if none shares origin or destination. */
function nearest(entry: TriggerEntry, given: Given): Change | null {
  const found = given.sources
    .filter(({ time, expiryTime }) => time <= entry.time && entry.time < expiryTime)
    .filter(
      ({ reportingOrigin, registration }) =>
        reportingOrigin === entry.reportingOrigin ||
        registration.destinations.includes(siteOf(entry.contextOrigin)),
    )
    .map((source) => toReach(source, entry, given))
    .sort((a, b) => a.count - b.count || Number(b.sourceId) - Number(a.sourceId));
  return found[0] ?? null;
}

/** What must change for a conversion to match a source, and how many things. */
function toReach(
  source: Source,
  entry: TriggerEntry,
  { json, registration: trigger }: Given,
): Change & { readonly count: number } {
  const { id, reportingOrigin, registration, attributionScopes } = source;
  const site = siteOf(entry.contextOrigin);
  const sentences: string[] = [];
  if (reportingOrigin !== entry.reportingOrigin)
    sentences.push(t('change_origin', { is: bare(entry.reportingOrigin), wanted: bare(reportingOrigin) }));
  if (!registration.destinations.includes(site))
    sentences.push(
      t('change_destination', { is: allOf(registration.destinations.map(bare)), wanted: bare(site) }),
    );
  const scopes = trigger.attributionScopes;
  const values = attributionScopes?.values ?? [];
  const isOutOfScope = scopes.length > 0 && !values.some((value) => scopes.includes(value));
  if (isOutOfScope)
    sentences.push(
      values.length === 0 ? t('change_no_scopes') : t('change_scopes', { scopes: values.join(', ') }),
    );
  const scoped = !isOutOfScope
    ? json
    : values.length === 0
      ? without(json, 'attribution_scopes')
      : { ...json, attribution_scopes: values };
  const { json: header, count } = withMatchingFilters(scoped, trigger, source, entry.time);
  if (count > 0) sentences.push(t('change_filters', { count }));
  return {
    sentences,
    header: isOutOfScope || count > 0 ? header : null,
    sourceId: id,
    count: sentences.length - (count > 0 ? 1 : 0) + count,
  };
}
