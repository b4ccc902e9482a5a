import type { Check } from '../../../src/model/checks';
import type { LogEntry } from '../../../src/model/decision';
import { chromiumLimits } from '../../../src/model/limits';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import type { IgnoredReason } from '../../../formats/codec/mistakes';
import type { Source } from '../../../src/model/records';
import { closedWindow } from '../../../formats/registration/closed-window';
import { parseHeader } from '../../../formats/registration/header';
import { parseTrigger } from '../../../formats/registration/trigger';
import { headerJson } from '../data/header-json';
import type { TriggerEntry } from '../data/trigger-entry';
import { t } from '../../i18n';
import { showTime } from '../words/words';
import { filterChange } from './filter-change';
import { missedSource } from './missed-source';
import { nearest, type Conversion } from './nearest-source';
import type { Change } from './suggested-change';
import type { WhyStep } from './why';

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
  if (code === 'no-eligible-click') return inWords(t('change_no_eligible_click', values));
  if (code === 'no-source-on-way') return inWords(t('change_no_source_on_way'));
  if (code === 'no-registration') return inWords(t('change_no_registration', values));
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

interface Given extends Conversion {
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
      return nearest(entry, { ...given, sources: sources.filter(isAmong(check)) });
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
    case 'report-window-open':
      return source === undefined ? null : ofWindow(source, entry);
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

/** A longer report window for the conversion's trigger data. Only the source's header can have it. */
function ofWindow(source: Source, trigger: TriggerEntry): Change | null {
  const known = trigger.checks.find((check) => check.id === 'trigger-data');
  const closed = known && closedWindow(source, BigInt(known.values.triggerData), trigger.time);
  if (!closed) return null;
  const { end, needed: seconds } = closed;
  const data = String(closed.triggerData);
  return {
    cause: t('cause_window', { data, end: showTime(end), time: showTime(trigger.time) }),
    sentences: [
      source.registration.flexible
        ? t('change_window_spec', { data, seconds })
        : t('change_window', { seconds }),
    ],
    ...{ header: null, sourceId: source.id },
  };
}

/** Whether the filters were compared with a source, which is true only of the best one under some models. */
function isAmong(check: Check | undefined): (source: Source) => boolean {
  if (check?.id !== 'filters') return () => true;
  const ids = new Set(check.values.sources.split(', '));
  return ({ id }) => ids.has(String(id));
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
