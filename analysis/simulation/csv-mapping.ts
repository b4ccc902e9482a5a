import { isGap } from '../../formats/csv/gap';
import type { Json } from '../../src/model/json';
import { boolean, choice, distinct, list, string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse, type Parsed } from '../../formats/codec/issues';
import { CellError, dateIn, missing, plainCell, spelled, type Cells } from './cells';
import { COLUMN, EventTemplate, SitesOfCells } from './filled-template';
import type { LogProfile } from './log-profile';

/** In milliseconds. */
export const UNITS = {
  milliseconds: 1,
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
} as const;

/** `iso`: ISO 8601, a moment and no duration. */
export type Unit = keyof typeof UNITS | 'iso';
type DurationUnit = keyof typeof UNITS;

/**
 * How rows of a file map to events. A row makes an event for each entry of `events` whose `when` it meets. This can be several, for
 * example an impression and its conversion.
 */
export interface CsvMapping {
  /** Null: what the file's name says. */
  readonly delimiter: string | null;
  /** The names of the columns of CSV without a header. */
  readonly columns: readonly string[] | null;
  /** The column with the user. */
  readonly user: string;
  readonly unit: Unit;
  /** Whether times count from another moment than 1970, so that they are not compared with today's. */
  readonly relative: boolean;
  readonly events: readonly EventMapping[];
}

interface EventMapping {
  /** Columns, each with the values that it may have. */
  readonly when: readonly { readonly column: string; readonly values: readonly string[] }[];
  /** The column with the time since the Unix epoch or any other fixed moment. */
  readonly time: string;
  /** A column with how much later it happened. A list makes an event for each delay, and an empty one none. */
  readonly delay: { readonly column: string; readonly unit: DurationUnit } | null;
  /** The column that identifies an event, where several rows of a user describe the same one. A row without an id has an event of its own. */
  readonly once: string | null;
  /** The event in the form of an event log, without user and timestamp; `{column}` in a text stands for the cell, `{column:ceil}` for a number rounded up, `{column:16}` for its first characters. */
  readonly event: Json;
}

export interface MappedEvent {
  readonly user: string;
  readonly time: number;
  readonly once: string | null;
  /** One line of an event log. */
  readonly text: string;
}

export function parseCsvMapping(document: Json): Parsed<CsvMapping> {
  return parse(document, (place) => {
    const fields = new Fields(place);
    const mapping: CsvMapping = {
      delimiter: fields.optional<string | null>('delimiter', delimiter, null),
      columns: fields.optional<readonly string[] | null>('columns', distinct(string, { min: 1 }), null),
      user: fields.required('user', string, ''),
      unit: fields.optional('unit', unit, 'seconds'),
      relative: fields.optional('relative', boolean, false),
      events: fields.required('events', list(eventMapping, { min: 1 }), []),
    };
    fields.refuseUnknown();
    return mapping;
  });
}

const durationUnits = ['milliseconds', 'seconds', 'minutes', 'hours', 'days'] as const;
const unit: Parser<Unit> = (place) => choice(...durationUnits, 'iso')(place);
const durationUnit: Parser<DurationUnit> = (place) => choice(...durationUnits)(place);

export const delimiter: Parser<string> = (place) => {
  if (typeof place.value === 'string' && place.value.length === 1) return place.value;
  place.expected('one-character');
  return ',';
};

const eventMapping: Parser<EventMapping> = (place) => {
  const fields = new Fields(place);
  const mapping: EventMapping = {
    when: fields.optional('when', conditions, []),
    time: fields.required('time', string, ''),
    delay: fields.optional<EventMapping['delay']>('delay', delay, null),
    once: fields.optional<string | null>('once', string, null),
    event: fields.required<Json>('event', template, null),
  };
  fields.refuseUnknown();
  return mapping;
};

const delay: Parser<NonNullable<EventMapping['delay']>> = (place) => {
  const fields = new Fields(place);
  const read = {
    column: fields.required('column', string, ''),
    unit: fields.required<DurationUnit>('unit', durationUnit, 'seconds'),
  };
  fields.refuseUnknown();
  return read;
};

const conditions: Parser<EventMapping['when']> = (place) => {
  const fields = new Fields(place);
  return [...fields.names()].map((column) => ({
    column,
    values: fields.optional(
      column,
      (at) => (typeof at.value === 'string' ? [at.value] : list(string, { min: 1 })(at)),
      [],
    ),
  }));
};

const template: Parser<Json> = (place) => {
  const fields = new Fields(place);
  for (const set of ['user', 'timestamp']) if (fields.has(set)) place.error('field-of-row', { name: set });
  return place.value;
};

/** Instead of a column: the number of the row, from 1, without the names of the columns. */
export const ROW_NUMBER = '#';

/** Every column that a mapping reads. */
export function columnsOf({ user, events }: CsvMapping): ReadonlySet<string> {
  const named = events.flatMap(({ when, time, delay, once, event }) => [
    time,
    ...(delay === null ? [] : [delay.column]),
    ...(once === null ? [] : [once]),
    ...when.map(({ column }) => column),
    ...[...JSON.stringify(event).matchAll(COLUMN)].map(([, column]) => column ?? ''),
  ]);
  return new Set([user, ...named].filter((column) => column !== ROW_NUMBER));
}

/** Makes events of rows. Its templates are prepared once for all of them. */
export class RowMapper {
  private readonly events: readonly (Omit<EventMapping, 'event'> & { readonly template: EventTemplate })[];

  /** @param profile counts the events */
  constructor(
    private readonly mapping: CsvMapping,
    private readonly profile: LogProfile,
  ) {
    const sites = new SitesOfCells(profile.sites);
    this.events = mapping.events.map(({ event, ...rest }) => ({
      ...rest,
      template: new EventTemplate(event, sites),
    }));
  }

  /** @throws CellError */
  eventsOf(cells: Cells): readonly MappedEvent[] {
    const { user: column, unit } = this.mapping;
    const user = plainCell(column, cells(column));
    if (isGap(user)) throw missing(column, 'a user', user);
    return this.events.flatMap(({ when, time, delay, once, template }, index) => {
      if (!when.every((condition) => meets(condition, cells(condition.column)))) return [];
      const start = timeOf(time, cells(time), unit);
      const fields = template.filled(cells).slice(1);
      const id = once === null ? null : plainCell(once, cells(once));
      const isKnown = id !== null && !isGap(id);
      const key = isKnown ? `${index} ${id}` : null;
      return delaysOf(delay, cells).map((later) => {
        const at = start + later;
        this.profile.add(index, at, once !== null && !isKnown);
        return {
          user,
          time: at,
          once: key,
          text: `{"user":${JSON.stringify(user)},"timestamp":"${at}"${fields === '}' ? '' : ','}${fields}`,
        };
      });
    });
  }
}

/** Also in the spellings of pandas: `1.0`, `True`. */
export const meets = ({ values }: EventMapping['when'][number], cell: string): boolean =>
  values.includes(cell) || values.includes(spelled(cell));

const delaysOf = (delay: EventMapping['delay'], cells: Cells): readonly number[] =>
  delay === null
    ? [0]
    : cells(delay.column)
        .split(',')
        .filter((cell) => cell !== '')
        .map((cell) => durationOf(delay.column, cell, delay.unit));

const WHOLE = /^\d{1,15}$/;
const DECIMAL = /^\d{1,12}(\.\d{1,3}0*)?$/;

/** When it happened, in whole milliseconds since 1970 or any other fixed moment. A date is one in every unit. */
function timeOf(column: string, cell: string, unit: Unit): number {
  const date = dateIn(column, cell);
  if (date !== null && date >= 0) return date;
  if (unit === 'iso' || date !== null)
    throw new CellError(column, 'a time since 1970 in ISO 8601, as 2024-01-31T12:00:00Z', cell);
  return durationOf(column, cell, unit);
}

/** In whole milliseconds. */
function durationOf(column: string, cell: string, unit: DurationUnit): number {
  const isWhole = unit === 'milliseconds';
  if (!(isWhole ? WHOLE : DECIMAL).test(cell))
    throw new CellError(column, isWhole ? 'whole milliseconds' : `${unit} with at most three decimals`, cell);
  return Math.round(Number(cell) * UNITS[unit]);
}
