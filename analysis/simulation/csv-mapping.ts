import type { Json } from '../../src/model/json';
import { Fields, list, oneOf, string, type Parser } from '../../src/parsing/fields';
import { parse, type Parsed } from '../../src/parsing/issues';

/**
 * How rows of a CSV file map to events. A row makes an event for each entry of `events` whose `when` it meets. This can be several, for
 * example an impression and its conversion.
 */
export interface CsvMapping {
  readonly delimiter: string;
  /** The column with the user. */
  readonly user: string;
  readonly unit: 'seconds' | 'milliseconds';
  readonly events: readonly EventMapping[];
}

interface EventMapping {
  /** Columns, each with the values that it may have. */
  readonly when: readonly { readonly column: string; readonly values: readonly string[] }[];
  /** The column with the time since the Unix epoch or any other fixed moment. */
  readonly time: string;
  /** The column that identifies an event, where several rows of a user describe the same one. */
  readonly once: string | null;
  /** The event in the form of an event log, without user and timestamp; `{column}` in a text stands for the cell. */
  readonly event: Json;
}

/** Returns a row's cell by column name. */
export type Cells = (column: string) => string;

export interface MappedEvent {
  readonly user: string;
  readonly time: number;
  readonly once: string | null;
  readonly event: { readonly [name: string]: Json };
}

/** A cell whose value is not valid for its column. */
export class CellError extends Error {
  constructor(column: string, expected: string, cell: string) {
    super(`column "${column}": must be ${expected}, was ${JSON.stringify(cell)}`);
  }
}

export function parseCsvMapping(document: Json): Parsed<CsvMapping> {
  return parse(document, (place) => {
    const fields = new Fields(place);
    const mapping: CsvMapping = {
      delimiter: fields.optional('delimiter', delimiter, ','),
      user: fields.required('user', string(), ''),
      unit: fields.optional('unit', oneOf('seconds', 'milliseconds'), null) ?? 'seconds',
      events: fields.required('events', list(eventMapping, { min: 1 }), []),
    };
    fields.refuseUnknown();
    return mapping;
  });
}

export const delimiter: Parser<string> = (place) => {
  if (typeof place.value === 'string' && place.value.length === 1) return place.value;
  place.expected('one-character');
  return ',';
};

const eventMapping: Parser<EventMapping> = (place) => {
  const fields = new Fields(place);
  const mapping: EventMapping = {
    when: fields.optional('when', conditions, []),
    time: fields.required('time', string(), ''),
    once: fields.optional<string | null>('once', string(), null),
    event: fields.required<Json>('event', template, null),
  };
  fields.refuseUnknown();
  return mapping;
};

const conditions: Parser<EventMapping['when']> = (place) => {
  const fields = new Fields(place);
  return [...fields.names()].map((column) => ({
    column,
    values: fields.optional(
      column,
      (at) => (typeof at.value === 'string' ? [at.value] : list(string(), { min: 1 })(at)),
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

const COLUMN = /\{([^{}"]+)\}/g;

/** Every column that a mapping reads. */
export function columnsOf({ user, events }: CsvMapping): ReadonlySet<string> {
  const named = events.flatMap(({ when, time, once, event }) => [
    time,
    ...(once === null ? [] : [once]),
    ...when.map(({ column }) => column),
    ...[...JSON.stringify(event).matchAll(COLUMN)].map(([, column]) => column ?? ''),
  ]);
  return new Set([user, ...named].filter((column) => column !== ROW_NUMBER));
}

/** @throws CellError */
export function eventsOfRow(mapping: CsvMapping, cells: Cells): readonly MappedEvent[] {
  const user = cells(mapping.user);
  if (user === '') throw new CellError(mapping.user, 'a user', user);
  return mapping.events.flatMap(({ when, time, once, event }, index) => {
    if (!when.every(({ column, values }) => values.includes(cells(column)))) return [];
    const at = timeOf(time, cells(time), mapping.unit);
    const filled = filledIn(event, cells) as MappedEvent['event'];
    return [
      {
        user,
        time: at,
        once: once === null ? null : `${index} ${cells(once)}`,
        event: { user, timestamp: String(at), ...filled },
      },
    ];
  });
}

/** In whole milliseconds. */
function timeOf(column: string, cell: string, unit: CsvMapping['unit']): number {
  const [pattern, expected, factor] =
    unit === 'seconds'
      ? [/^\d{1,12}(\.\d{1,3}0*)?$/, 'seconds with at most three decimals', 1000]
      : [/^\d{1,15}$/, 'whole milliseconds', 1];
  if (!pattern.test(cell)) throw new CellError(column, expected, cell);
  return Math.round(Number(cell) * factor);
}

function filledIn(value: Json, cells: Cells): Json {
  if (typeof value === 'string') return value.replace(COLUMN, (_, column: string) => cells(column));
  if (Array.isArray(value)) return value.map((item: Json) => filledIn(item, cells));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filledIn(item, cells)]));
}
