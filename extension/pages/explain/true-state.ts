import { decisionsOf, type LogEntry, type SingleDecision } from '../../../src/model/decision';
import { defaultMeasurement } from '../../../src/model/mechanisms';
import { chromiumLimits, type Limits } from '../../../src/model/limits';
import type { Source } from '../../../src/model/records';
import { moment } from '../../../src/model/units';
import { seededRandomSource } from '../../../analysis/random/sources';
import { serializeSource } from '../../../formats/registration/serialize';
import { ReportSpace, type ReportState } from '../../../src/states/report-space';
import { shapeOf, stateOfReports, triggerDataOf } from '../../../src/states/source-space';
import { MemoryEngine } from '../../../analysis/store/memory-engine';
import { MemoryStore } from '../../../analysis/store/memory-store';

/** What a source would report without noise. */
export interface TrueState {
  readonly number: bigint;
  readonly state: ReportState;
}

/** Drops because of other sources or triggers. The engine repeats all other decisions. */
const droppedByOthers: readonly string[] = [
  'trigger-source-over-budget',
  'trigger-event-attributions-per-source-destination-limit',
  'trigger-reporting-origin-limit',
  'trigger-event-storage-limit',
];

/** A single source cannot reach limits that count others. */
const noSharedLimits: Limits = {
  ...chromiumLimits,
  maxChannelCapacity: { navigation: Infinity, event: Infinity },
  maxScopesChannelCapacity: { navigation: Infinity, event: Infinity },
  maxTriggerStateCardinality: 2n ** 128n,
  maxAttributions: Infinity,
  maxEventLevelReportsPerDestination: Infinity,
};

/**
 * The true state of a source now: the engine processes the source and the triggers attributed to it again, without noise. This also works
 * for noised sources.
 * @param triggers log entries of those triggers, by time
 */
export function trueState(source: Source, triggers: readonly LogEntry[]): TrueState {
  const store = new MemoryStore();
  const random = seededRandomSource('true state', 0);
  const engine = new MemoryEngine({ store, limits: noSharedLimits, random: () => random });
  const conditions = {
    measurement: defaultMeasurement,
    noise: { kind: 'off' },
    delay: true,
    debugAllowed: false,
    debug: [],
  } as const;
  engine.register(
    {
      occasion: {
        time: source.time,
        contextOrigin: source.sourceOrigin,
        reportingOrigin: source.reportingOrigin,
        via: 'header',
      },
      register: { kind: 'source', sourceType: source.sourceType },
      header: JSON.stringify(serializeSource(source.registration)),
      fenced: false,
      reportHeaderErrors: false,
    },
    conditions,
  );
  for (const entry of triggers.filter((entry) => counts(entry, source))) {
    const { time, contextOrigin, reportingOrigin, via } = entry;
    engine.register(
      {
        occasion: { time: moment(Math.max(time, source.time)), contextOrigin, reportingOrigin, via },
        register: { kind: 'trigger' },
        header: shareOf(entry, source),
        fenced: false,
        reportHeaderErrors: false,
      },
      conditions,
    );
  }
  const state = stateIn(store, source);
  return { number: new ReportSpace(shapeOf(source.registration)).encode(state), state };
}

/** A trigger dropped by a shared limit or budget is not part of the truth that randomized response protects. */
const counts = (entry: LogEntry, { id }: Source): boolean =>
  entry.kind === 'trigger' &&
  decisionsOf(entry.decision).some((decision) => decision.sourceId === id && countsHere(decision));

const countsHere = (decision: SingleDecision): boolean =>
  decision.kind === 'attributed' || !droppedByOthers.includes(decision.reason);

/** The trigger's header, with only the source's share of its values if they were split. */
function shareOf(entry: LogEntry, { id }: Source): string {
  if (entry.kind !== 'trigger' || entry.decision.kind !== 'split') return entry.header;
  const share = entry.decision.shares.find(({ decision }) => decision.sourceId === id);
  const { values = [], from = 0 } = share ?? {};
  const header = JSON.parse(entry.header) as { readonly event_trigger_data?: readonly object[] };
  const eventTriggerData = (header.event_trigger_data ?? [])
    .map((config, index) => ({ ...config, value: values[index - from] ?? 0 }))
    .filter(({ value }) => value > 0);
  return JSON.stringify({ ...header, event_trigger_data: eventTriggerData });
}

function stateIn(store: MemoryStore, { registration, time }: Source): ReportState {
  const reports = store.upTo('reports', 'nextAttempt', Infinity);
  const specs = new Map(triggerDataOf(registration).map(({ triggerData, spec }) => [triggerData, spec]));
  return stateOfReports(
    registration,
    reports.flatMap(({ kind, event, reportTime }) => {
      if (kind !== 'event-level' || event === null) return [];
      const ends: readonly number[] = specs.get(event.triggerData)?.windows.ends ?? [];
      return [{ triggerData: event.triggerData, windowIndex: ends.indexOf(reportTime - time) }];
    }),
  );
}
