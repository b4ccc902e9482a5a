import type { LogEntry } from '../../src/model/decision';
import type { Limits } from '../../src/model/limits';
import { defaultMeasurement, type MeasurementSettings } from '../../src/model/mechanisms';
import type { FinishedReport, Report, ReportKind } from '../../src/model/records';
import { isJsonObject, type JsonObject } from '../../src/model/json';
import { effectiveDebug, type Settings } from '../../formats/settings/settings';
import { chromiumLimits } from '../../src/model/limits';
import { after, type Moment } from '../../src/model/units';
import { longestDelay } from '../../src/aggregate/aggregatable-report';
import { parseJsonHeader, REGISTER_SOURCE, REGISTER_TRIGGER } from '../../formats/registration/header';
import { INFO } from '../../recording/structured-headers';
import { parseSource } from '../../formats/registration/source';
import { withoutDebugKeys } from '../../formats/reports/event-level-report';
import { ReportSpace } from '../../src/states/report-space';
import { reportsOfState, shapeOf } from '../../src/states/source-space';
import { apiConfigOf } from './api-config';
import { recordCalls, type RecordedCalls } from './calls/record-calls';
import { toJson } from '../../formats/codec/plain-json';
import { scenarioPayload, sharedInfoIn } from './payload';
import { scenarioSettings } from './scenario';
import { nominalTries, type Try } from './tries';

/** The recorded data in a store. */
export interface Recorded {
  /** In any order. */
  readonly log: readonly LogEntry[];
  readonly reports: readonly Report[];
  readonly finished: readonly FinishedReport[];
  readonly w3c?: RecordedCalls;
}

export interface RecordOptions {
  /** The current settings, assumed to have applied from the start. */
  readonly settings: Settings;
  readonly limits: Limits;
  /** Whether to include debug reports and the permission for them. */
  readonly debug: boolean;
}

/**
 * Writes what happened as a scenario that can be replayed: registrations, each noised source with its output, offline periods, and reports,
 * sent or pending; and the calls of W3C Attribution with their histograms. The time of a report is its due time, without the time that the device took to send it. Omits headers that registered
 * nothing because their request was not eligible.
 */
export function recordScenario(recorded: Recorded, options: RecordOptions): JsonObject {
  const { settings, limits, debug } = options;
  const entries = [...recorded.log].sort((a, b) => a.time - b.time || a.id - b.id);
  const all = [...recorded.reports, ...recorded.finished.map(({ report }) => report)].map((report) =>
    asReplayed(report, options),
  );
  const permitted = all.filter(({ kind }) => debug || !needsPermission.has(kind));
  const tries = new Map(permitted.map((report) => [report.id, nominalTries(report, settings)]));
  const errors = new Set(debug ? all.filter(isHeaderError).map(occasionKey) : []);
  const registrations = entries.flatMap((entry) => recordedRegistration(entry, options, errors));
  const leaves = new Set([
    ...recorded.reports.filter(({ event }) => event?.held !== true).map(({ id }) => id),
    ...recorded.finished.filter(({ end }) => end === 'delivered').map(({ report }) => report.id),
  ]);
  const sent = permitted
    .filter(({ id }) => leaves.has(id))
    .map((report) => sentReport(report, tries.get(report.id), debug));
  const calls = recorded.w3c === undefined ? null : recordCalls(recorded.w3c);
  return {
    ...changedLimits(limits),
    ...(calls === null ? {} : { w3c: calls.config }),
    cointoss: { settings: changedSettings(settings) },
    input: {
      registrations: [...registrations, ...connections([...tries.values()].flat())].sort(
        (a, b) => Number(a['timestamp']) - Number(b['timestamp']),
      ),
      ...(calls === null ? {} : { w3c: calls.input }),
    },
    output: {
      reports: sent.sort((a, b) => Number(a['report_time']) - Number(b['report_time'])),
      ...(calls === null ? {} : { histograms: calls.histograms }),
    },
  };
}

/** The kinds of debug reports that are made only with permission. */
const needsPermission: ReadonlySet<ReportKind> = new Set([
  'event-level-debug',
  'verbose-debug',
  'aggregatable-debug',
]);

function recordedRegistration(
  entry: LogEntry,
  { limits, debug }: RecordOptions,
  errors: ReadonlySet<string>,
): JsonObject[] {
  if (entry.kind === 'ignored') return [];
  const isSource = (entry.kind === 'refused' ? entry.register : entry.kind) === 'source';
  const isClick = 'sourceType' in entry && entry.sourceType === 'navigation';
  const eligible = isClick ? 'navigation-source' : 'event-source';
  const randomized = randomizedResponse(entry, limits);
  const nullReportDays = entry.kind === 'trigger' ? (entry.aggregatable?.nullReportDays ?? []) : [];
  return [
    {
      timestamp: String(entry.time),
      registration_request: {
        context_origin: entry.contextOrigin,
        ...(isSource ? { 'Attribution-Reporting-Eligible': eligible } : {}),
      },
      responses: [
        {
          url: `${entry.reportingOrigin}/`,
          ...(debug && entry.debugAllowed === true ? { debug_permission: true } : {}),
          ...(randomized === null ? {} : { randomized_response: randomized }),
          ...(nullReportDays.length === 0 ? {} : { null_aggregatable_reports_days: nullReportDays }),
          response: {
            [isSource ? REGISTER_SOURCE : REGISTER_TRIGGER]: entry.header,
            ...(entry.kind === 'refused' && errors.has(occasionKey(entry))
              ? { [INFO]: 'report-header-errors' }
              : {}),
          },
        },
      ],
    },
  ];
}

/** The output that replaced a source's own; null when none did. */
function randomizedResponse(entry: LogEntry, limits: Limits): readonly JsonObject[] | null {
  if (entry.kind !== 'source' || entry.decision.kind !== 'stored') return null;
  const { noise } = entry.decision;
  if (noise.kind !== 'replaced') return null;
  const source = parseSource(parseJsonHeader(entry.header).value, entry.sourceType, limits).value;
  if (source === null) return null;
  return reportsOfState(source, new ReportSpace(shapeOf(source)).decode(noise.state)).map(
    ({ triggerData, windowIndex }) => ({ trigger_data: triggerData, report_window_index: windowIndex }),
  );
}

/** The connection counts as down from just before a failed try until just before the next successful one. */
function connections(tries: readonly Try[]): JsonObject[] {
  const inOrder = [...tries].sort((a, b) => a.time - b.time);
  let up = true;
  return inOrder.flatMap((tried) => {
    if (tried.arrives === up) return [];
    up = tried.arrives;
    return [{ timestamp: String(Math.max(0, tried.time - 1)), connection: up }];
  });
}

function sentReport(report: Report, tries: readonly Try[] = [], debug: boolean): JsonObject {
  return {
    report_time: String(tries.at(-1)?.time ?? report.reportTime),
    report_url: report.url,
    payload: debug ? scenarioPayload(report) : withoutDebugKeys(scenarioPayload(report)),
  };
}

/** An aggregatable report has the longest delay in a replay, because a scenario cannot state a random one. */
function asReplayed(report: Report, { limits, debug }: RecordOptions): Report {
  const { kind, body, aggregatable, reportTime } = report;
  if (aggregatable === undefined || !isJsonObject(body) || kind === 'aggregate-debug') return report;
  const { triggerTime, filteringIdMaxBytes } = aggregatable;
  const { trigger_context_id: contextId = null } = body;
  const due = after(
    triggerTime,
    longestDelay(limits, { contextId: contextId === null ? null : '', filteringIdMaxBytes }),
  );
  const { debug_mode: debugMode, ...sharedInfo } = sharedInfoIn(body);
  const shown = {
    ...sharedInfo,
    ...(debug && debugMode !== undefined ? { debug_mode: debugMode } : {}),
    scheduled_report_time: String(Math.floor(due / 1000)),
  };
  return {
    ...report,
    reportTime: kind === 'aggregatable' ? due : reportTime,
    body: { ...body, shared_info: JSON.stringify(shown) },
  };
}

/** A report on a refused header names neither the registration nor its request, so this finds them by time and origin. */
const occasionKey = ({
  reportingOrigin,
  ...at
}: { reportingOrigin: string } & ({ time: Moment } | Report)): string =>
  `${'time' in at ? at.time : at.reportTime} ${reportingOrigin}`;

const isHeaderError = ({ kind, body }: Report): boolean =>
  kind === 'verbose-debug' && JSON.stringify(body).includes('"type":"header-parsing-error"');

function changedLimits(limits: Limits): JsonObject {
  const usual = apiConfigOf(chromiumLimits);
  const changed = Object.entries(apiConfigOf(limits)).filter(([name, value]) => !isSame(value, usual[name]));
  return changed.length === 0 ? {} : { api_config: Object.fromEntries(changed) };
}

const measurementNames = Object.keys(defaultMeasurement) as readonly (keyof MeasurementSettings)[];

/** The settings that affect a replay and differ from its defaults. */
function changedSettings(settings: Settings): JsonObject {
  const changed = measurementNames
    .filter((name) => !isSame(settings[name], scenarioSettings[name]))
    .map((name) => [name, toJson(settings[name])] as const);
  return {
    deliveryProfile: settings.deliveryProfile,
    ...Object.fromEntries(changed),
    ...(effectiveDebug(settings).delay ? {} : { debug: { enabled: true, delay: false } }),
  };
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
