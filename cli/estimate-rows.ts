import type { Configuration, Mechanism } from '../analysis/estimate/configuration';
import type { LoggedSource } from '../analysis/estimate/join';
import { chromiumLimits, type SourceType } from '../src/model/limits';
import type { Json, JsonObject } from '../src/model/json';
import { moment } from '../src/model/units';
import { Rational, type Exact } from '../src/privacy/rational';
import { Fields, list, oneOf, string, uint64, type Parser } from '../src/parsing/fields';
import { parse, type Parsed } from '../src/parsing/issues';
import { time } from '../src/parsing/time';
import { originOfUrl, siteOfUrl } from '../src/parsing/origin';
import { parseSource } from '../src/registration/source';

/** Reads the source log. Rows may name a configuration and later rows refer to it, so rows are read in order. */
export class SourceRows {
  private readonly named = new Map<string, NamedConfiguration>();

  /** @param groupBy the columns to group by. */
  constructor(private readonly groupBy: readonly string[]) {}

  parse(json: Json): Parsed<LoggedSource> {
    return parse(json, (place) => {
      const fields = new Fields(place);
      const type = fields.required('source_type', sourceType, 'navigation');
      const destinations = fields.required('destination', sites, []);
      return {
        sourceEventId: fields.required('source_event_id', uint64, 0n),
        reportingOrigin: fields.required('reporting_origin', origin, ''),
        destinations,
        sourceType: type,
        time: fields.required('time', time, moment(0)),
        configuration: this.configuration(fields, type, destinations),
        group: this.groupBy.map((name) => fields.required(name, feature, '')),
      };
    });
  }

  private configuration(
    fields: Fields,
    type: SourceType,
    destinations: readonly string[],
  ): { name: string | null; configuration: Configuration } | null {
    const name = fields.optional<string | null>('configuration', string(), null);
    const shape = fields.optional('registration', registration(type, destinations), null);
    const known = name === null ? undefined : this.named.get(name);
    if (shape === null && known === undefined) {
      if (name === null) fields.required('registration', () => null, null);
      return null;
    }
    const base: NamedConfiguration = {
      shape: shape?.shape ?? known?.shape ?? NOTHING,
      registered: shape?.epsilon ?? known?.registered ?? 0,
      mechanism: fields.optional('mechanism', mechanism, known?.mechanism ?? { kind: 'rr' }),
    };
    const epsilon = fields.optional(
      'epsilon',
      effectiveEpsilon(base.registered),
      known?.epsilon ?? base.registered,
    );
    if (name !== null && known === undefined) this.named.set(name, { ...base, epsilon });
    const { shape: outputs, mechanism: randomization } = base;
    return { name, configuration: { shape: outputs, epsilon, mechanism: randomization } };
  }
}

interface NamedConfiguration {
  readonly shape: Configuration['shape'];
  readonly registered: number;
  readonly mechanism: Mechanism;
  readonly epsilon?: number;
}

const NOTHING: Configuration['shape'] = { triggerSpecs: [], maxEventLevelReports: 0, flexible: false };

/** The part of a registration that decides its outputs, from the header as JSON or as a string with JSON. */
const registration =
  (
    type: SourceType,
    destinations: readonly string[],
  ): Parser<{ shape: Configuration['shape']; epsilon: number } | null> =>
  (place) => {
    const json = jsonIn(place.value);
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      place.expected('json-registration');
      return null;
    }
    const parsed = parseSource({ destination: destinations, ...(json as JsonObject) }, type, chromiumLimits);
    for (const error of parsed.errors) place.at(error.path, null).add(error);
    if (parsed.value === null) return null;
    const { triggerSpecs, maxEventLevelReports, flexible, eventLevelEpsilon } = parsed.value;
    return { shape: { triggerSpecs, maxEventLevelReports, flexible }, epsilon: eventLevelEpsilon };
  };

const mechanism: Parser<Mechanism> = (place) => {
  const fields = new Fields(place.with(jsonIn(place.value)));
  const kind = fields.required('kind', oneOf('rr', 'rr-with-prior', 'rr-on-bins', 'unbiased'), null) ?? 'rr';
  if (kind === 'rr') return { kind };
  const prior = fields.required('prior', list(exact, { min: 1 }), []);
  if (kind === 'rr-with-prior')
    return {
      kind,
      prior,
      values: fields.optional<readonly Exact[] | null>('values', list(exact, { min: 1 }), null),
    };
  const values = fields.required('values', list(exact, { min: 1 }), []);
  if (kind === 'unbiased') return { kind, prior, values };
  const loss = fields.required('loss', oneOf('squared', 'absolute', 'poisson'), null) ?? 'squared';
  return { kind, prior, values, loss };
};

/** CSV holds JSON in strings. */
function jsonIn(value: Json): Json {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value) as Json;
  } catch {
    return null;
  }
}

const exact: Parser<Exact> = (place) => {
  const { value } = place;
  if ((typeof value === 'number' || typeof value === 'string') && Rational.parse(value) !== null)
    return value;
  place.expected('decimal-or-fraction');
  return 0;
};

const effectiveEpsilon =
  (registered: number): Parser<number> =>
  (place) => {
    const { value } = place;
    const epsilon = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof epsilon === 'number' && epsilon > 0 && epsilon <= registered) return epsilon;
    place.expected('epsilon-up-to', { registered });
    return registered;
  };

const sourceType: Parser<SourceType> = (place) => oneOf('navigation', 'event')(place) ?? 'navigation';

const feature: Parser<string> = (place) => {
  const { value } = place;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  place.expected('text-or-scalar');
  return '';
};

/** Logs repeat a few URLs; parsing each takes longer than all else. */
function remembered(parseUrl: (url: string) => string | null): (url: string) => string | null {
  const known = new Map<string, string | null>();
  return (url) => {
    let result = known.get(url);
    if (result === undefined) {
      if (known.size > 100_000) known.clear();
      known.set(url, (result = parseUrl(url)));
    }
    return result;
  };
}

const originOf = remembered(originOfUrl);
const siteOf = remembered(siteOfUrl);

const origin: Parser<string> = (place) => {
  const found = typeof place.value === 'string' ? originOf(place.value) : null;
  if (found === null) place.expected('origin');
  return found ?? '';
};

const site: Parser<string> = (place) => {
  const found = typeof place.value === 'string' ? siteOf(place.value) : null;
  if (found === null) place.expected('secure-site');
  return found ?? '';
};

/** One to three sites: a string, a list, or for CSV a string with spaces between them. */
const listOf =
  (parser: Parser<string>): Parser<readonly string[]> =>
  (place) => {
    const urls = typeof place.value === 'string' ? place.value.split(' ') : place.value;
    if (!Array.isArray(urls) || urls.length === 0) {
      place.expected('sites');
      return [];
    }
    return [...new Set((urls as readonly Json[]).map((url) => parser(place.with(url))))].sort();
  };

const sites = listOf(site);
