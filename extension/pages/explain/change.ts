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
import { filterChange, filterSize } from './filter-change';
import { missedSource } from './missed-source';
import type { WhyStep } from './why';
import { without } from './workbench';

/** What would have let a registration pass the check that it failed. */
export interface Change {
  /** Why it did not pass, where that is more exact than the check says. */
  readonly cause?: string;
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
 * @param sources that are stored, the newest first
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
        withData(json, 0, filterChange(first, source, entry.time).in),
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
  if (found === null) return null;
  const { cause, fix, entryId } = found;
  return { ...inWords(fix), cause, entryId };
}

/** How many pairs of a source and a filter are compared: with fewer than 100 filters, all 300 sources that a page reads. */
const MOST_COMPARED = 30_000;

/** Of the newest sources, the one that needs the fewest changes to match; null if none shares origin or destination. */
function nearest(entry: TriggerEntry, given: Given): Change | null {
  const most = Math.ceil(MOST_COMPARED / (1 + filterSize(given.registration)));
  const scopes = new Set(given.registration.attributionScopes);
  const [found] = given.sources
    // Only what was registered before, and not removed since by a limit.
    .filter(({ id, forgotten }) => id < entry.id && forgotten === undefined)
    .filter(({ time, expiryTime }) => time <= entry.time && entry.time < expiryTime)
    .filter(
      ({ reportingOrigin, registration }) =>
        reportingOrigin === entry.reportingOrigin ||
        registration.destinations.includes(siteOf(entry.contextOrigin)),
    )
    .slice(0, most)
    .map((source) => toReach(source, entry, given.registration, scopes))
    .sort((a, b) => a.count - b.count || b.sourceId - a.sourceId);
  if (found === undefined) return null;
  const { sentences, causes, sourceId, isHeader, inHeader } = found;
  return {
    ...(causes.length === 0 ? {} : { cause: causes.join(' ') }),
    ...{ sentences, sourceId, header: isHeader ? inHeader(given.json) : null },
  };
}

/** What must change for a conversion to match a source. */
interface Reach {
  readonly causes: readonly string[];
  readonly sentences: readonly string[];
  readonly sourceId: number;
  /** How many things. */
  readonly count: number;
  /** Whether the header must change. */
  readonly isHeader: boolean;
  readonly inHeader: (json: JsonObject) => JsonObject;
}

function toReach(
  source: Source,
  entry: TriggerEntry,
  trigger: TriggerRegistration,
  scopes: ReadonlySet<string>,
): Reach {
  const { id, reportingOrigin, registration, attributionScopes } = source;
  const site = siteOf(entry.contextOrigin);
  const sentences: string[] = [];
  const causes: string[] = [];
  const because = (cause: string, fix: string): void => {
    causes.push(cause);
    sentences.push(fix);
  };
  if (reportingOrigin !== entry.reportingOrigin) {
    const named = { is: bare(entry.reportingOrigin), wanted: bare(reportingOrigin) };
    because(t('cause_origin', named), t('change_origin', named));
  }
  if (!registration.destinations.includes(site)) {
    const named = { is: allOf(registration.destinations.map(bare)), wanted: bare(site) };
    because(t('cause_destination', named), t('change_destination', named));
  }
  const values = attributionScopes?.values ?? [];
  const isOutOfScope = scopes.size > 0 && !values.some((value) => scopes.has(value));
  if (isOutOfScope)
    because(
      t('cause_scopes'),
      values.length === 0 ? t('change_no_scopes') : t('change_scopes', { scopes: values.join(', ') }),
    );
  const filters = filterChange(trigger, source, entry.time);
  const count = sentences.length + filters.count;
  if (filters.count > 0) sentences.push(t('change_filters', { count: filters.count }));
  return {
    causes,
    sentences,
    sourceId: id,
    count,
    isHeader: isOutOfScope || filters.count > 0,
    inHeader: (json) => filters.in(isOutOfScope ? withScopes(json, values) : json),
  };
}

const withScopes = (json: JsonObject, values: readonly string[]): JsonObject =>
  values.length === 0 ? without(json, 'attribution_scopes') : { ...json, attribution_scopes: values };
