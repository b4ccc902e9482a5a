import { isJsonObject, type Json } from '../../src/model/json';
import type { ReportKind } from '../../src/model/records';
import type { Moment } from '../../src/model/units';
import type { Parser } from '../codec/fields';
import {
  choice,
  integer,
  nullable,
  optional,
  record,
  required,
  text,
  uint64,
  withDefault,
  type Codec,
  type FieldsOf,
  type RecordCodec,
} from '../codec/codec';
import { aggregatableFields, type AggregatableBody } from './aggregatable-report';
import { verboseReport, type DebugItem } from './debug-report';
import { eventLevelFields, type EventLevelBody } from './event-level-report';
import { reportKinds } from './report-kind';
import { originUrl, siteUrls } from './sites';
import { time } from '../codec/moments';

/** How a report reached a collector. Null: not recorded. */
export interface Arrival {
  /** Grows in order of arrival. */
  readonly cursor: number | null;
  readonly kind: ReportKind;
  readonly receivedTime: Moment | null;
  readonly reportingOrigin: string;
  /** The URL that it was meant for, if it came in collector mode. */
  readonly reportUrl: string | null;
}

const arrivalFields: FieldsOf<Arrival> = {
  cursor: optional('cursor', integer(0, Number.MAX_SAFE_INTEGER)),
  kind: withDefault<ReportKind>('kind', choice<ReportKind>('event-level', reportKinds), 'event-level'),
  receivedTime: optional('received_time', time),
  reportingOrigin: required('reporting_origin', originUrl),
  reportUrl: nullable('report_url', text),
};

export const arrival: RecordCodec<Arrival> = record(arrivalFields, { unknown: 'ignored' });

/** An event-level report, or its debug copy, as a line of a collector's `/reports`. */
export interface CollectedReport extends Omit<EventLevelBody, 'triggerData'>, Arrival {
  /** Null if a noisy value replaces it. */
  readonly triggerData: bigint | null;
}

/** Reads a line of any collector, which may have other rules for ids and sites. */
export const collectedReport: Codec<CollectedReport> = record(
  {
    ...eventLevelFields,
    destinations: required('attribution_destination', siteUrls),
    reportId: required('report_id', text),
    triggerData: optional('trigger_data', uint64),
    ...arrivalFields,
  },
  { unknown: 'ignored', either: ['trigger_data', 'noisy_value'] },
);

export type CollectedAggregatableReport = AggregatableBody & Arrival;

const collectedAggregatableReport: Codec<CollectedAggregatableReport> = record(
  { ...aggregatableFields, ...arrivalFields },
  { unknown: 'ignored' },
);

interface CollectedDebugReport extends Arrival {
  readonly data: readonly DebugItem[];
}

const collectedDebugReport: Codec<CollectedDebugReport> = record(
  { data: required('data', verboseReport), ...arrivalFields },
  { unknown: 'ignored' },
);

export function kindOfLine(line: Json): Json {
  if (!isJsonObject(line)) return 'event-level';
  if (Object.hasOwn(line, 'kind')) return line['kind'] ?? null;
  return Object.hasOwn(line, 'shared_info') ? 'aggregatable' : 'event-level';
}

export type ReportLine = CollectedReport | CollectedAggregatableReport | CollectedDebugReport;

const lineOfKind: Readonly<Record<ReportKind, Parser<ReportLine>>> = {
  'event-level': collectedReport.parse,
  'event-level-debug': collectedReport.parse,
  'verbose-debug': collectedDebugReport.parse,
  aggregatable: collectedAggregatableReport.parse,
  'aggregatable-debug': collectedAggregatableReport.parse,
  'aggregate-debug': collectedAggregatableReport.parse,
};

export const reportLine: Parser<ReportLine> = (place) => {
  const kind = reportKinds.find((known) => known === kindOfLine(place.value));
  return lineOfKind[kind ?? 'event-level'](place);
};
