import { isGap } from '../../formats/csv/gap';
import { ISO_DATE_TIME } from '../../formats/codec/time';
import type { Json, JsonObject } from '../../src/model/json';
import { spelled } from './cells';
import { UNITS, type Unit } from './csv-mapping';

/** Some rows of a table: by column, the cells that are not empty. */
export interface TableSample {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
  /** Whether the table can have more rows. */
  readonly isCut: boolean;
}

export interface ProposedMap {
  /** As a file for `--map`. */
  readonly map: JsonObject;
  /** What each column was taken for, in sentences for people. */
  readonly choices: readonly string[];
  /** The column whose values are compared; null if no column names campaigns. */
  readonly campaign: string | null;
}

/** The table lacks something that a map needs. The message says what, which columns there are, and what would do. */
export class NoMapError extends Error {
  constructor(what: string, example: string, { columns, rows, isCut }: TableSample) {
    const read = isCut
      ? ` (in the first ${rows.length.toLocaleString('en')} rows, which alone are read)`
      : '';
    super(`${what}${read}; expected ${example}; found the columns ${columns.join(', ')}`);
  }
}

const USER = /^(user|uid|customer|visitor|client|cookie|device|person|member)(_(id|key|hash|uuid))?$/;
const TIME = /(^|_)(time|timestamp|date|datetime|ts|at|day|hour|minute)$/;
const CAMPAIGN = [
  'campaign',
  'campaign_id',
  'campaign_name',
  'ad_group',
  'creative',
  'channel',
  'advertiser',
  'ad_id',
];
const CLICK = /^(is_)?(click|clicked|clicks)$/;
const CONVERSION = /^(is_)?(conversion|converted|purchase|purchased|sale|order|bought|signup)$/;
/** In the cells of a column that says what a row is. */
const KINDS = {
  click: /^(ad_?)?clicks?$/i,
  view: /^(ad_?)?(views?|impressions?|imp|displays?|exposures?)$/i,
  conversion: /^(conversions?|conv|purchases?|sales?|orders?|checkouts?|sign_?ups?|leads?)$/i,
} as const;
type Kind = keyof typeof KINDS;
/** In milliseconds since 1970, 10 digits are in 1970 and 13 in 2001 to 2286; in seconds, 10 digits are. */
const LIKE = { seconds: /^\d{10}(\.\d{1,3}0*)?$/, milliseconds: /^\d{13}$/ } as const;

/** With more digits, milliseconds would be after the year 2286: these are microseconds, or shorter. */
const NUMBER = /^\d{1,13}(\.\d+)?$/;

const ID = /^(conversion|order|purchase|sale|transaction)_id$/;

const SHOP = 'https://shop.example';

/**
 * Proposes which events the rows of a table are, from the names of its columns and some of its rows. Ads lead from one made-up site to one
 * made-up shop: tables seldom name them.
 * @throws NoMapError
 */
export function proposedMap(table: TableSample): ProposedMap {
  const user = table.columns.find((name) => USER.test(plain(name)));
  if (user === undefined) throw new NoMapError('no column names the user', '"user_id", for example', table);
  const named = table.columns.filter((name) => TIME.test(plain(name)));
  const times = named.length > 0 ? named : table.columns.filter((name) => hasDates(name, table));
  const [time] = times;
  if (time === undefined) throw new NoMapError('no column has the time', '"timestamp", for example', table);
  const { unit, why } = unitOf(time, table);
  const campaign =
    CAMPAIGN.map((wanted) => table.columns.find((name) => plain(name) === wanted)).find(isFound) ?? null;
  const events = eventsOf(table, times);
  for (const event of events) requireUnit(event.time, unit, time, withRowsOf(event, table));
  const { once, others } = onceColumn(events, table);
  const map = {
    user,
    unit,
    events: events.map(({ kind, when, time: at }) => ({
      when,
      time: at,
      ...(kind === 'conversion' && once !== null ? { once } : {}),
      event: eventOf(kind, campaign),
    })),
  };
  const choices = [
    `the user is "${user}"`,
    `the time is "${time}", in ${unitText(unit)} (${why})`,
    ...events.map(({ kind, when, time: at }) => `${NAMES[kind]}: ${whenText(when)}, at "${at}"`),
    ...(once === null ? [] : [`a conversion counts once for each "${once}" of a user`]),
    ...others,
    campaign === null ? 'no column names campaigns, so none are compared' : `the campaign is "${campaign}"`,
  ];
  return { map, choices, campaign };
}

const NAMES = { click: 'clicks', view: 'impressions', conversion: 'conversions' } as const;

interface ProposedEvent {
  readonly kind: Kind;
  readonly when: Readonly<Record<string, readonly string[]>>;
  readonly time: string;
}

/** Other rows can have anything where the event has its time, such as -1. */
const withRowsOf = ({ when }: ProposedEvent, table: TableSample): TableSample => ({
  ...table,
  rows: table.rows.filter((row) =>
    Object.entries(when).every(([column, values]) => {
      const cell = row[column] ?? '';
      return values.includes(cell) || values.includes(spelled(cell));
    }),
  ),
});

interface OnceColumn {
  readonly once: string | null;
  /** What is said of other columns that could identify a conversion by their names. */
  readonly others: readonly string[];
}

/**
 * The column that identifies a conversion, which several ads before it may repeat. One value in all conversions identifies something else, such as
 * the account. If each user has one value, which is usual for orders, it still identifies the conversion.
 */
function onceColumn(events: readonly ProposedEvent[], table: TableSample): OnceColumn {
  const conversion = events.find(({ kind }) => kind === 'conversion');
  if (conversion === undefined) return { once: null, others: [] };
  const conversions = withRowsOf(conversion, table);
  const named = table.columns.filter((column) => ID.test(plain(column)));
  const differs = (column: string): boolean =>
    distinct(column, conversions).filter((cell) => !isGap(cell)).length > 1;
  const once = named.find(differs) ?? null;
  const few = `it has fewer than two values${once === null ? ', so each row with a conversion counts' : ''}`;
  const others = named
    .filter((column) => column !== once)
    .map((column) => {
      const why = differs(column) ? `"${once ?? ''}" does` : few;
      return `"${column}" does not identify conversions, as ${why} (if it does, write "once": "${column}" for them in the map)`;
    });
  return { once, others };
}

/** From a column that says what a row is, or from columns that say whether there was a click or a conversion. */
function eventsOf(table: TableSample, times: readonly string[]): readonly ProposedEvent[] {
  const [time = ''] = times;
  for (const column of table.columns) {
    const cells = distinct(column, table);
    const events = (['click', 'view', 'conversion'] as const).flatMap((kind) => {
      const values = cells.filter((cell) => KINDS[kind].test(cell));
      return values.length === 0 ? [] : [{ kind, when: { [column]: values }, time }];
    });
    if (events.some(({ kind }) => kind === 'conversion') && events.length > 1) return events;
  }
  const click = flag(CLICK, table);
  const conversion = flag(CONVERSION, table);
  if (conversion === null)
    throw new NoMapError(
      'nothing tells conversions',
      'a column "event" with "click" and "conversion", or a column "conversion" with 0 and 1',
      table,
    );
  const own = times.find((name) => name !== time && /conver|purchase|sale|order/.test(plain(name)));
  return [
    ...(click === null
      ? [{ kind: 'view', when: {}, time } as const]
      : [
          { kind: 'click', when: { [click]: ['1'] }, time } as const,
          { kind: 'view', when: { [click]: ['0'] }, time } as const,
        ]),
    { kind: 'conversion', when: { [conversion]: ['1'] }, time: own ?? time },
  ];
}

/** A column with that name whose cells all say yes or no. */
const flag = (name: RegExp, table: TableSample): string | null =>
  table.columns.find(
    (column) =>
      name.test(plain(column)) && distinct(column, table).every((cell) => ['0', '1'].includes(spelled(cell))),
  ) ?? null;

const unitText = (unit: Unit): string => (unit === 'iso' ? 'ISO 8601' : unit);

const hasDates = (column: string, { rows }: TableSample): boolean =>
  rows.every((row) => ISO_DATE_TIME.test(row[column] ?? ''));

/** A map has one unit for all its times. */
function requireUnit(column: string, unit: Unit, time: string, table: TableSample): void {
  const { unit: own } = unitOf(column, table);
  if (own !== unit && distinct(column, table).length > 0)
    throw new NoMapError(
      `the column "${time}" is in ${unitText(unit)}, and "${column}" in ${unitText(own)}`,
      'one unit for both',
      table,
    );
}

function unitOf(column: string, table: TableSample): { readonly unit: Unit; readonly why: string } {
  const cells = distinct(column, table);
  const all = (pattern: RegExp): boolean => cells.every((cell) => pattern.test(cell));
  const [first = ''] = cells;
  if (all(ISO_DATE_TIME)) return { unit: 'iso', why: `as in "${first}"; without a zone, it is UTC` };
  for (const unit of ['seconds', 'milliseconds'] as const)
    if (all(LIKE[unit])) return { unit, why: `as in ${first}, which is in this century` };
  const strange = cells.find((cell) => !NUMBER.test(cell));
  if (strange !== undefined)
    throw new NoMapError(
      `the column "${column}" has ${JSON.stringify(strange)}`,
      'times in ISO 8601, as 2024-01-31T12:00:00Z, or numbers of milliseconds or a longer unit',
      table,
    );
  const named = (Object.keys(UNITS) as (keyof typeof UNITS)[]).find((unit) =>
    plain(column).includes(unit.slice(0, -1)),
  );
  return named === undefined
    ? { unit: 'seconds', why: 'nothing says otherwise: change "unit" if they are not' }
    : { unit: named, why: 'by its name' };
}

const distinct = (column: string, { rows }: TableSample): readonly string[] => [
  ...new Set(rows.flatMap((row) => row[column] ?? [])),
];

function eventOf(kind: Kind, campaign: string | null): Json {
  if (kind === 'conversion')
    return {
      registration_request: { context_origin: SHOP },
      responses: [response('conversion', 'Trigger', { event_trigger_data: [{ trigger_data: '1' }] })],
    };
  const eligible = kind === 'click' ? 'navigation-source' : 'event-source';
  const filters =
    campaign === null ? {} : { filter_data: { [FEATURE]: [`{${campaign}:${LONGEST_FEATURE}}`] } };
  return {
    registration_request: {
      context_origin: 'https://publisher.example',
      'Attribution-Reporting-Eligible': eligible,
    },
    responses: [response(kind, 'Source', { source_event_id: '{#}', destination: SHOP, ...filters })],
  };
}

/** In the source log: the campaign of a source, cut to the characters that fit. */
export const FEATURE = 'campaign';
const LONGEST_FEATURE = 16;

const response = (path: Kind, what: 'Source' | 'Trigger', header: JsonObject): Json => ({
  url: `https://ads.example/${path}`,
  response: { [`Attribution-Reporting-Register-${what}`]: header },
});

const whenText = (when: ProposedEvent['when']): string =>
  Object.entries(when)
    .map(
      ([column, values]) => `rows whose "${column}" is ${values.map((value) => `"${value}"`).join(' or ')}`,
    )
    .join() || 'all rows';

/** `Campaign ID` and `campaignId` are `campaign_id`. */
const plain = (name: string): string =>
  name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '_');

const isFound = <T>(found: T | undefined): found is T => found !== undefined;
