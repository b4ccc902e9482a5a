import type { LogEntry } from '../../../../src/model/decision';
import type { Json } from '../../../../src/model/recording-rule';
import { siteOf } from '../../../../src/registration/origin';
import { outcomeTone } from '../../explain/outcome';
import type { Cell, Column, Tone } from '../table';

export const sitesOfEntry = ({ contextSite, reportingOrigin }: LogEntry): readonly string[] => [
  contextSite,
  siteOf(reportingOrigin),
];

export const toneOfOutcome = (cell: Cell): Tone | undefined => outcomeTone(String(cell));

/** What every registration has. */
export const occasionColumns: readonly Column<LogEntry>[] = [
  {
    key: 'page',
    title: 'Page',
    value: ({ contextOrigin }) => contextOrigin,
    as: 'origin',
    width: 200,
    facet: true,
  },
  {
    key: 'reporting_origin',
    title: 'Reporting origin',
    value: ({ reportingOrigin }) => reportingOrigin,
    as: 'origin',
    width: 200,
    facet: true,
  },
  { key: 'via', title: 'Recorded by', value: ({ via }) => via, width: 120, facet: true, optional: true },
];

export const debugColumn: Column<LogEntry> = {
  key: 'not_production',
  title: 'Not as in production',
  value: ({ debug }) => debug.join(', ') || null,
  width: 180,
  facet: true,
};

export const timeColumn: Column<LogEntry> = {
  key: 'time',
  title: 'Time',
  value: ({ time }) => time,
  as: 'time',
  width: 190,
};

/** The JSON of a header, or null when it is none. */
export function headerJson(header: string): Json {
  try {
    return JSON.parse(header) as Json;
  } catch {
    return null;
  }
}

/** A field of an object in JSON from outside. */
export const field = (json: Json | undefined, name: string): Json | undefined =>
  typeof json === 'object' && json !== null && !Array.isArray(json) && Object.hasOwn(json, name)
    ? (json as Readonly<Record<string, Json>>)[name]
    : undefined;

export const textOf = (json: Json | undefined): string | null =>
  json === undefined || json === null ? null : typeof json === 'object' ? JSON.stringify(json) : String(json);
