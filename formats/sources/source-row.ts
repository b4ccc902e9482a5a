import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import type { Mechanism } from '../../src/model/mechanisms';
import { shown } from '../codec/shown';
import type { SourceRegistration } from '../../src/model/registration';
import { epsilon as epsilonOf, moment, type Epsilon, type Moment } from '../../src/model/units';
import { number, string, plain, uint64, type Parser, type Codec } from '../codec/codec';
import { Fields } from '../codec/record';
import { time } from '../codec/time';
import type { Place } from '../codec/issues';
import { readJsonText } from '../codec/json-text';
import { originOfUrl } from '../../src/model/origin';
import { siteOfUrl } from '../../src/model/site';
import { parseSource } from '../registration/source';
import { sourceType } from '../reports/event-level-report';
import { mechanism, type ExactNumber } from '../settings/mechanism';
import { siteUrls } from '../reports/sites';

export type Scalar = string | number | boolean | null;

const STORABLE = /^[^\0\p{Surrogate}]*$/u;

/** A row of the ad side's own log: one registered source. */
export interface SourceRow {
  readonly sourceEventId: bigint;
  readonly reportingOrigin: string;
  /** Sites. */
  readonly destinations: readonly string[];
  readonly sourceType: SourceType;
  readonly time: Moment;
  /** The name that the row gives its configuration. */
  readonly name: string | null;
  /** Null: the row gives only a name, which is unknown. */
  readonly configuration: SourceConfiguration | null;
  readonly features: JsonObject;
}

interface SourceConfiguration {
  readonly registration: SourceRegistration;
  /** The registration as received, without the source's own fields. */
  readonly given: JsonObject;
  /** The ε in effect. */
  readonly epsilon: Epsilon;
  readonly mechanism: Mechanism<ExactNumber>;
}

/** The configuration that a name stands for, unless the row gives another. */
export interface NamedConfiguration {
  readonly sourceType: SourceType;
  readonly registration: JsonObject;
  /** Null: as registered. */
  readonly epsilon: Epsilon | null;
  readonly mechanism: Mechanism<ExactNumber>;
}

export const sourceRow =
  (named: (name: string) => NamedConfiguration | null): Parser<SourceRow> =>
  (place) => {
    const fields = new Fields(place);
    const name = fields.optional<string | null>('configuration', string, null);
    const known = name === null ? null : named(name);
    const type = fields.optional<SourceType | null>('source_type', sourceType, known?.sourceType ?? null);
    if (type === null) place.error('missing-fields', { name: 'source_type', other: 'configuration' });
    const row = {
      sourceEventId: fields.required('source_event_id', uint64, 0n),
      reportingOrigin: fields.required('reporting_origin', origin, ''),
      sourceType: type ?? 'navigation',
      time: fields.required('time', time, moment(0)),
      name,
    };
    const given =
      fields.optional<JsonObject | null>('registration', registrationJson, null) ??
      known?.registration ??
      null;
    if (given === null && name === null)
      place.error('missing-fields', { name: 'registration', other: 'configuration' });
    const registration = given === null ? null : registrationOf(given, fields, row.sourceType, place);
    const registered = registration?.eventLevelEpsilon ?? epsilonOf(Number.MAX_VALUE);
    const usual = fields.has('registration') ? registered : (known?.epsilon ?? registered);
    const epsilon = fields.optional('epsilon', epsilonUpTo(registered), usual);
    const how = fields.optional<Mechanism<ExactNumber>>(
      'mechanism',
      fromText(mechanism),
      known?.mechanism ?? { kind: 'rr' },
    );
    return {
      ...row,
      destinations: registration?.destinations ?? fields.required('destination', siteUrls, []),
      configuration:
        given === null || registration === null
          ? null
          : { registration, given: without(given, ...own), epsilon, mechanism: how },
      features: featuresIn(fields),
    };
  };

/** The other values of a row, by name. */
export const featuresIn = (fields: Fields): JsonObject =>
  fields.verbatim(fields.names().filter((field) => !Object.hasOwn(properties, field)));

/** Registration fields that describe the source itself, so that the row can have them instead. */
const own = ['destination', 'source_event_id'] as const;

function registrationOf(
  given: JsonObject,
  fields: Fields,
  type: SourceType,
  place: Place,
): SourceRegistration | null {
  const ownFields = Object.fromEntries(
    Object.entries(fields.verbatim(own)).map(([name, value]) => [name, split(name, value)]),
  );
  for (const [name, value] of Object.entries(ownFields)) {
    const other = Object.hasOwn(given, name) ? given[name] : undefined;
    if (other !== undefined && identity(value) !== identity(other))
      place.at(name, value).expected('same-as-registration', { other: shown(other) });
  }
  const { value, errors } = parseSource({ ...given, ...ownFields }, type, chromiumLimits);
  for (const error of errors) place.at(placeOf(error.path, ownFields), null).add(error);
  return value;
}

/** Equal for equivalent fields: destinations in any form or order, and other URLs of the sites. */
const identity = (value: Json): string =>
  JSON.stringify(
    [value]
      .flat()
      .map((item) => (typeof item === 'string' ? (siteOfUrl(item) ?? item) : item))
      .sort(),
  );

/** The place in the row of a mistake in the merged registration. */
const placeOf = (path: string, ownFields: object): string => {
  const [top = ''] = path.split(/[.[]/);
  return Object.hasOwn(ownFields, top) ? path : `registration${path === '' ? '' : `.${path}`}`;
};

/** In tables one cell holds all destinations, separated by spaces. */
const split = (name: string, value: Json): Json =>
  name === 'destination' && typeof value === 'string' && value.includes(' ') ? value.split(/ +/) : value;

const without = (object: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));

/** Tables contain JSON as text. Text that is not JSON stays text, and is refused. */
const fromText =
  <T>(parser: Parser<T>): Parser<T> =>
  (place) => {
    const { value } = place;
    if (typeof value !== 'string') return parser(place);
    const { value: json, problem } = readJsonText(value);
    return parser(problem === null ? place.with(json) : place);
  };

const registrationJson: Parser<JsonObject | null> = fromText((place) => {
  if (isJsonObject(place.value)) return place.value;
  place.expected('json-registration');
  return null;
});

/** With ε = 0, outputs are noise alone. */
const epsilonUpTo =
  (registered: Epsilon): Parser<Epsilon> =>
  (place) => {
    const { value } = place;
    const isText = typeof value === 'string' && DECIMAL.test(value);
    return epsilonOf(number(0, registered)(isText ? place.with(Number(value)) : place));
  };

const DECIMAL = /^\s*\d+(\.\d*)?([eE][+-]?\d+)?\s*$/;

const origin: Codec<string> = plain<string>(
  (place) => {
    const found = typeof place.value === 'string' ? originOfUrl(place.value) : null;
    if (found === null) place.expected('origin');
    return found ?? '';
  },
  { type: 'string', format: 'uri', pattern: '^(https://|http://[^/]*(localhost|127\\.|\\[::1\\]))' },
);

/** PostgreSQL's text cannot hold U+0000 or unpaired surrogates. */
export const isStorable = (text: string): boolean => STORABLE.test(text);

export const feature: Codec<Scalar> = plain(
  (place) => {
    const { value } = place;
    if (typeof value === 'boolean' || value === null) return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value === 'string' && isStorable(value)) return value;
    place.expected('feature-value');
    return null;
  },
  { anyOf: [{ type: 'string', pattern: STORABLE.source }, { type: ['number', 'boolean', 'null'] }] },
);

const text = { type: 'string', minLength: 1 };
const orText = (schema: JsonObject): JsonObject => ({
  anyOf: [schema, { type: 'string', contentMediaType: 'application/json' }],
});

const properties: JsonObject = {
  source_event_id: uint64.schema,
  reporting_origin: origin.schema,
  destination: {
    anyOf: [text, { type: 'array', items: text, minItems: 1, maxItems: 3 }],
    description: 'A site, or up to three in a list or with spaces between them',
  },
  source_type: sourceType.schema,
  time: time.schema,
  registration: orText({ type: 'object', description: 'The JSON of the registration header' }),
  configuration: {
    type: 'string',
    description:
      'Instead of a registration: the id of a configuration that is stored, or that an earlier row makes',
  },
  mechanism: orText(mechanism.schema),
  epsilon: {
    anyOf: [
      { type: 'number', minimum: 0 },
      { type: 'string', pattern: DECIMAL.source },
    ],
    description: 'The ε in effect, when it is below the registered one',
  },
};

/** A source for the log, with its full registration. */
export interface SourceToLog extends Pick<
  SourceRow,
  'sourceEventId' | 'reportingOrigin' | 'sourceType' | 'time' | 'features'
> {
  /** As in the header: a site, or a list. */
  readonly destination: Json;
  readonly registration: JsonObject;
  readonly name?: string;
  /** The ε in effect; as registered if it is missing. */
  readonly epsilon?: number;
  /** Randomized response if it is missing. */
  readonly mechanism?: Mechanism<ExactNumber>;
}

/** A row that `sourceRow` reads. Features with the name of a field are left out, because readers would take them for the field. */
export const writeSourceRow = ({ name, epsilon, mechanism: how, ...source }: SourceToLog): JsonObject => ({
  source_event_id: uint64.write(source.sourceEventId),
  reporting_origin: origin.write(source.reportingOrigin),
  destination: source.destination,
  source_type: sourceType.write(source.sourceType),
  time: time.write(source.time),
  ...(name === undefined ? {} : { configuration: name }),
  registration: source.registration,
  ...(epsilon === undefined ? {} : { epsilon }),
  ...(how === undefined ? {} : { mechanism: mechanism.write(how) }),
  ...without(source.features, ...Object.keys(properties)),
});

export const sourceRowSchema: JsonObject = {
  type: 'object',
  properties,
  required: ['source_event_id', 'reporting_origin', 'time'],
  anyOf: [{ required: ['source_type', 'registration'] }, { required: ['configuration'] }],
  additionalProperties: { ...feature.schema, description: 'A feature of the source' },
};
