import type { SourceType } from '../../src/model/limits';
import { chromiumLimits } from '../../src/model/limits';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import type { SourceRegistration } from '../../src/model/registration';
import { Fields, number, oneOf, string, uint64, type Parser } from '../../src/parsing/fields';
import type { Place } from '../../src/parsing/issues';
import { parseUrl } from '../../src/parsing/origin';
import { parseSource } from '../../src/registration/source';
import type { Scalar } from '../store/database';
import { configurationOf, type Configuration } from './configuration';
import { mechanism, type Mechanism } from './mechanism';

/** One row of the ad side's own log: a source that it registered. */
export interface LoggedSource {
  readonly sourceEventId: bigint;
  readonly reportingOrigin: string;
  readonly destinations: readonly string[];
  readonly sourceType: SourceType;
  readonly time: Date;
  /** The configuration's id. */
  readonly configuration: string;
  /** What else the row said, by name: campaign, position, … */
  readonly features: Readonly<Record<string, Scalar>>;
}

/** The names that are not features. */
const known: ReadonlySet<string> = new Set([
  'source_event_id',
  'reporting_origin',
  'destination',
  'source_type',
  'time',
  'configuration',
  'registration',
  'mechanism',
  'epsilon',
]);

export interface ParsedSource {
  readonly source: LoggedSource;
  readonly configuration: Configuration;
}

/** @param configurations what a row may name by its id. */
export const loggedSource =
  (configurations: ReadonlyMap<string, Configuration>): Parser<ParsedSource | null> =>
  (place) => {
    const fields = new Fields(place);
    const sourceEventId = fields.required('source_event_id', uint64, 0n);
    const reportingOrigin = fields.required('reporting_origin', origin, '');
    const time = fields.required('time', moment, new Date(0));
    const named = fields.optional('configuration', namedConfiguration(configurations), null);
    const sourceType =
      fields.optional('source_type', oneOf('navigation', 'event'), null) ??
      named?.definition.source_type ??
      null;
    if (sourceType === null) place.error('missing-fields', { name: 'source_type', other: 'configuration' });
    const registration = sourceType === null ? null : registrationOf(fields, sourceType, named, place);
    const features = featuresOf(fields, place);
    if (registration === null || sourceType === null) return null;
    const configuration = effective(fields, registration, sourceType, named, place);
    if (configuration === null) return null;
    const { destinations } = registration;
    return {
      source: {
        sourceEventId,
        reportingOrigin,
        destinations,
        sourceType,
        time,
        configuration: configuration.id,
        features,
      },
      configuration,
    };
  };

/** The source's registration: the one that the row has, else its configuration's, with the row's own destination and id. */
function registrationOf(
  fields: Fields,
  sourceType: SourceType,
  named: Configuration | null,
  place: Place,
): SourceRegistration | null {
  const given = fields.optional('registration', jsonObject, null) ?? named?.definition.registration ?? null;
  if (given === null) {
    place.error('missing-fields', { name: 'registration', other: 'configuration' });
    return null;
  }
  const own = fields.verbatim(['destination', 'source_event_id']);
  for (const [name, value] of Object.entries(own)) {
    const other = Object.hasOwn(given, name) ? given[name] : undefined;
    if (other !== undefined && !isSame(split(name, value), other))
      place.at(name, value).expected('same-as-registration', { other: JSON.stringify(other) });
  }
  const destination = own['destination'];
  const { value, errors } = parseSource(
    {
      ...given,
      ...own,
      ...(destination === undefined ? {} : { destination: split('destination', destination) }),
    },
    sourceType,
    chromiumLimits,
  );
  for (const error of errors) place.at(placeOf(error.path, own), null).add(error);
  return value;
}

/** Whether two fields say the same; a list of destinations may have one or any order. */
const isSame = (a: Json, b: Json): boolean =>
  JSON.stringify([a].flat().sort()) === JSON.stringify([b].flat().sort());

/** Where in the row a mistake in the merged registration stands. */
const placeOf = (path: string, own: object): string => {
  const [top = ''] = path.split(/[.[]/);
  return Object.hasOwn(own, top) ? path : `registration${path === '' ? '' : `.${path}`}`;
};

/** Tables have one cell for all destinations, which are then separated by spaces. */
const split = (name: string, value: Json): Json =>
  name === 'destination' && typeof value === 'string' && value.includes(' ') ? value.split(/ +/) : value;

function effective(
  fields: Fields,
  registration: SourceRegistration,
  sourceType: SourceType,
  named: Configuration | null,
  place: Place,
): Configuration | null {
  const registered = registration.eventLevelEpsilon;
  const epsilon = fields.optional('epsilon', number(0, registered), registered);
  const how = fields.optional<Mechanism | null>(
    'mechanism',
    (given) => given.attempt(mechanism),
    named?.definition.mechanism ?? { kind: 'rr' },
  );
  if (how === null) return null;
  const configuration = configurationOf(registration, sourceType, epsilon, how, place.at('mechanism', null));
  if (named !== null && named.id !== configuration.id)
    place.at('configuration', named.id).expected('same-configuration', { id: configuration.id });
  return configuration;
}

function featuresOf(fields: Fields, place: Place): Readonly<Record<string, Scalar>> {
  const names = [...fields.names()].filter((name) => !known.has(name));
  return Object.fromEntries(
    names.map((name) => {
      if (!isStorable(name) || name === '') place.at(name, name).expected('feature-name');
      return [name, fields.optional<Scalar>(name, feature, null)];
    }),
  );
}

const feature: Parser<Scalar> = (place) => {
  const { value } = place;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'string' && isStorable(value)) return value;
  place.expected('feature-value');
  return null;
};

/** PostgreSQL's text has neither U+0000 nor halves of surrogate pairs. */
const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text);

const origin: Parser<string> = (place) => {
  const { value } = place;
  const url = typeof value === 'string' ? parseUrl(value) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.origin === value) return value;
  place.expected('exact-origin');
  return '';
};

/** The last millisecond whose ISO form has a year of four digits. */
const LAST_MILLISECOND = 253_402_300_799_999;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

const moment: Parser<Date> = (place) => {
  const { value } = place;
  const isMilliseconds = typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
  if (
    isMilliseconds &&
    Number.isInteger(Number(value)) &&
    Number(value) >= 0 &&
    Number(value) <= LAST_MILLISECOND
  )
    return new Date(Number(value));
  if (typeof value === 'string' && ISO.test(value) && !Number.isNaN(Date.parse(value)))
    return new Date(value);
  place.expected('time-or-milliseconds');
  return new Date(0);
};

const namedConfiguration =
  (configurations: ReadonlyMap<string, Configuration>): Parser<Configuration | null> =>
  (place) => {
    const id = string()(place);
    const found = configurations.get(id);
    if (found === undefined) place.expected('known-configuration');
    return found ?? null;
  };

const jsonObject: Parser<JsonObject | null> = (place) => {
  const { value } = place;
  if (isJsonObject(value)) return value;
  place.expected('registration');
  return null;
};
