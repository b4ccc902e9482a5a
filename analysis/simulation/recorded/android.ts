import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import type { Moment } from '../../../src/model/units';
import { anyJson, boolean, choice, list, string, type Parser } from '../../../formats/codec/codec';
import { Fields } from '../../../formats/codec/record';
import type { Place } from '../../../formats/codec/issues';
import { time } from '../../../formats/codec/time';
import { eventLine } from '../event-line';
import type { Recorded } from './recorded-events';

/*
 * The inputs of Google's measurement simulation (privacysandbox/measurement-simulation): at 3c642b2 a file for each user, before 2024 files by date
 * with a row for each source and trigger. docs/recorded-files.md says what each field becomes.
 */

const SOURCE = 'Attribution-Reporting-Register-Source';
const TRIGGER = 'Attribution-Reporting-Register-Trigger';
const APP = 'android-app://';

/** An app as a site of its own: no two apps share a registrable domain, as `com.shop.a` and `org.shop.a` would. */
const siteOfApp = (name: string): string => `https://${name.replaceAll('.', '-')}.invalid`;

/** A web page, or an app with or without its scheme. */
const whereOf = (text: string): string =>
  /^https?:\/\//.test(text) ? text : siteOfApp(text.replace(APP, '').split('/', 1)[0] ?? '');

const INSTALLS = 'installs and uninstalls left out: websites have none';

const NO_REQUEST = { where: '', isNavigation: false };

/** One user: `sources` and `triggers` of apps, `web_sources` and `web_triggers` of web pages, perhaps within `input`. */
export const androidFile =
  (user: string): Parser<Recorded> =>
  (place) => {
    const outer = new Fields(place);
    return outer.has('input')
      ? outer.required('input', eventsOf(user), { lines: [], withoutPage: [], notes: new Map() })
      : eventsOf(user)(place);
  };

const eventsOf =
  (user: string): Parser<Recorded> =>
  (place) => {
    const fields = new Fields(place);
    const events = [
      ...fields.optional('sources', list(sourceEvent('registrant')), []),
      ...fields.optional('web_sources', list(sourceEvent('source_origin')), []),
      ...fields.optional('triggers', list(triggerEvent('registrant')), []),
      ...fields.optional('web_triggers', list(triggerEvent('destination_origin')), []),
    ].toSorted((a, b) => a.time - b.time);
    const installs = ['installs', 'uninstalls'].reduce(
      (sum, name) => sum + fields.optional(name, list(anyJson), []).length,
      0,
    );
    return {
      lines: events.map((event) => ({ user, ...event.line })),
      withoutPage: [],
      notes: new Map([[INSTALLS, installs]]),
    };
  };

interface Event {
  readonly time: Moment;
  readonly line: JsonObject;
}

const sourceEvent =
  (where: string): Parser<Event> =>
  (place) => {
    const fields = new Fields(place);
    const request = fields.required(
      'registration_request',
      (at: Place) => {
        const given = new Fields(at);
        const kind = given.required('source_type', choice('navigation', 'event'), 'event');
        return { where: given.required(where, string, ''), isNavigation: kind === 'navigation' };
      },
      NO_REQUEST,
    );
    return eventIn(fields, request.where, request.isNavigation ? 'navigation-source' : 'event-source');
  };

const triggerEvent =
  (where: string): Parser<Event> =>
  (place) => {
    const fields = new Fields(place);
    const found = fields.required(
      'registration_request',
      (at: Place) => new Fields(at).required(where, string, ''),
      '',
    );
    return eventIn(fields, found, 'trigger');
  };

const eventIn = (fields: Fields, where: string, eligible: string): Event => {
  const at = fields.required('timestamp', time, 0 as Moment);
  return {
    time: at,
    line: {
      timestamp: String(at),
      registration_request: { context_origin: whereOf(where), 'Attribution-Reporting-Eligible': eligible },
      responses: fields.required('responses', list(response), []),
    },
  };
};

const response: Parser<JsonObject> = (place) => {
  const fields = new Fields(place);
  const headers = fields.required('response', headersIn, {});
  return { url: fields.required('url', string, ''), response: headers };
};

/** `Location` and `Attribution-Reporting-Redirect` are left out: what they lead to is a response of its own. */
const headersIn: Parser<JsonObject> = (place) => {
  const fields = new Fields(place);
  return {
    ...(fields.has(SOURCE) ? { [SOURCE]: fields.required(SOURCE, sourceHeader, null) } : {}),
    ...(fields.has(TRIGGER) ? { [TRIGGER]: fields.required(TRIGGER, anyJson, null) } : {}),
  };
};

const sourceHeader: Parser<Json> = ({ value }) => {
  if (!isJsonObject(value)) return value;
  const { web_destination: web = [], destination: app, ...rest } = value;
  return { ...rest, destination: destinations(app, web) };
};

const destinations = (app: Json | undefined, web: Json): Json => [
  ...(typeof app === 'string' ? [whereOf(app)] : []),
  ...(Array.isArray(web) ? (web as readonly Json[]) : [web]),
];

/** What a row says about its event beside the header. */
const OF_EVENT = new Set([
  'user_id',
  'api_choice',
  'timestamp',
  'enrollment_id',
  'registrant',
  'publisher',
  'publisher_type',
  'source_type',
  'attribution_destination',
  'destination_type',
  'has_ar_debug_permission',
  'has_ad_id_permission',
  'dedup_keys',
  'install_attribution_window',
  'post_install_exclusivity_window',
]);

/** A source, a trigger or an install of a file by date. */
export const androidRow: Parser<Recorded> = (place) => {
  const fields = new Fields(place);
  if (fields.has('action')) return { lines: [], withoutPage: [], notes: new Map([[INSTALLS, 1]]) };
  // The platforms attribute by themselves: the simulation writes the reports of each into a folder of its own.
  const platform = fields.optional('api_choice', choice('OS', 'WEB'), 'OS');
  const user = `${platform}/${fields.required('user_id', string, '')}`;
  const at = fields.required('timestamp', time, 0 as Moment);
  const url = fields.required('enrollment_id', string, '');
  const isSource = fields.has('source_type');
  const kind = isSource ? fields.required('source_type', choice('NAVIGATION', 'EVENT'), 'EVENT') : null;
  const where = isSource
    ? fields.required('publisher', string, '')
    : fields.required('attribution_destination', string, '');
  const header = isSource ? sourceOfRow(place) : triggerOfRow(place);
  const line = eventLine(user, at, {
    context: whereOf(where),
    eligible: kind === null ? 'trigger' : kind === 'NAVIGATION' ? 'navigation-source' : 'event-source',
    url,
    header: { [isSource ? SOURCE : TRIGGER]: header },
  });
  return { lines: [withPermission(line, fields)], withoutPage: [], notes: new Map() };
};

function withPermission(line: Json, fields: Fields): JsonObject {
  const object = line as JsonObject; // which `eventLine` makes
  if (!fields.optional('has_ar_debug_permission', boolean, false)) return object;
  const [only] = object['responses'] as readonly JsonObject[];
  return { ...object, responses: [{ ...only, debug_permission: true }] };
}

const sourceOfRow = (place: Place): Json => {
  const header = headerOf(place, new Set(['source_event_id', 'priority', 'debug_key']));
  const keys = header['aggregation_keys'];
  return sourceHeader(
    place.with({
      ...header,
      // One release has a list of objects.
      ...(Array.isArray(keys)
        ? {
            aggregation_keys: Object.fromEntries(
              (keys as readonly JsonObject[]).flatMap((key) => Object.entries(key)),
            ),
          }
        : {}),
    }),
  );
};

const triggerOfRow = (place: Place): Json => {
  const header = headerOf(place, new Set(['debug_key']));
  const { event_trigger_data: data = null, aggregatable_values: values = null } = header;
  const inData = new Set(['trigger_data', 'priority', 'deduplication_key']);
  const item = (value: Json, index: number): Json =>
    isJsonObject(value)
      ? textNumbers(place.at('event_trigger_data', data).item(index, value), value, inData)
      : value;
  return {
    ...header,
    ...(Array.isArray(data) ? { event_trigger_data: (data as readonly Json[]).map(item) } : {}),
    ...(isJsonObject(values) ? { aggregatable_values: numbersOfText(values) } : {}),
  };
};

/** Some rows of the library's test data have numbers as text, where headers have numbers. */
const numbersOfText = (values: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : value,
    ]),
  );

const headerOf = (place: Place, texts: ReadonlySet<string>): JsonObject => {
  const object = isJsonObject(place.value) ? place.value : {};
  const kept = Object.fromEntries(Object.entries(object).filter(([name]) => !OF_EVENT.has(name)));
  return textNumbers(place, kept, texts);
};

/** A header has its 64-bit integers as text. A number that a double cannot hold has lost digits. */
function textNumbers(place: Place, object: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      if (!names.has(name) || typeof value !== 'number') return [name, value];
      if (!Number.isSafeInteger(value)) place.at(name, value).expected('int64');
      return [name, String(value)];
    }),
  );
}
