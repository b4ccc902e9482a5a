import { isJsonObject, type Json } from '../../src/model/json';
import type { ReportKind } from '../../src/model/records';
import type { Moment } from '../../src/model/units';
import { choice, integer, string, uint64, type Parser, type Codec } from '../codec/codec';
import {
  nullable,
  optional,
  record,
  required,
  withDefault,
  type FieldsOf,
  type RecordCodec,
} from '../codec/record';
import { time } from '../codec/time';
import { aggregatableFields, type AggregatableBody } from './aggregatable-report';
import { verboseReport, type DebugItem } from './debug-report';
import { eventLevelFields, type EventLevelBody } from './event-level-report';
import { reportKinds } from './report-kind';
import { originUrl, siteUrls } from './sites';

/** How a report arrived at a collector. Null: not recorded. */
export interface Arrival {
  /** Grows in order of arrival. */
  readonly cursor: number | null;
  readonly kind: ReportKind;
  readonly receivedTime: Moment | null;
  readonly reportingOrigin: string;
  /** The original URL, if the report arrived in collector mode. */
  readonly reportUrl: string | null;
}

const arrivalFields: FieldsOf<Arrival> = {
  cursor: optional('cursor', integer(0, Number.MAX_SAFE_INTEGER)),
  kind: withDefault<ReportKind>('kind', choice<ReportKind>(...reportKinds), 'event-level'),
  receivedTime: optional('received_time', time),
  reportingOrigin: required('reporting_origin', originUrl),
  reportUrl: nullable('report_url', string),
};

export const arrival: RecordCodec<Arrival> = record(arrivalFields, { unknown: 'ignored' });

/** An event-level report, or its debug copy, as a line of a collector's `/reports`. */
export interface CollectedReport extends Omit<EventLevelBody, 'triggerData'>, Arrival {
  /** Null if the report has a noisy value instead. */
  readonly triggerData: bigint | null;
}

/** Reads a line of any collector; others may have other rules for ids and sites. */
export const collectedReport: Codec<CollectedReport> = record(
  {
    ...eventLevelFields,
    destinations: required('attribution_destination', siteUrls),
    reportId: required('report_id', string),
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
  'event-level': collectedReport,
  'event-level-debug': collectedReport,
  'verbose-debug': collectedDebugReport,
  aggregatable: collectedAggregatableReport,
  'aggregatable-debug': collectedAggregatableReport,
  'aggregate-debug': collectedAggregatableReport,
};

export const reportLine: Parser<ReportLine> = (place) => {
  const kind = reportKinds.find((known) => known === kindOfLine(place.value));
  return lineOfKind[kind ?? 'event-level'](place);
};
