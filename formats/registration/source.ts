import type { Json } from '../../src/model/json';
import type { Limits, SourceType } from '../../src/model/limits';
import {
  MAX_UINT32,
  MAX_EXPIRY,
  type AttributionScopes,
  type SourceRegistration,
} from '../../src/model/registration';
import { days, epsilon, type Duration, type Site } from '../../src/model/units';
import { aggregatableSource } from './aggregatable';
import {
  boolean,
  int64,
  integer,
  readInteger,
  readNumber,
  choice,
  set,
  uint64,
  type Parser,
} from '../codec/codec';
import { object } from '../codec/record';
import { filterData } from './filters';
import { parseHeader } from './header';
import { parse, type Parsed } from '../codec/issues';
import { parseUrl } from '../../src/model/origin';
import { siteOfUrl } from '../../src/model/site';
import type { ReadHeaders } from '../../src/work';
import { clampedSeconds, topLevelWindows } from './report-windows';
import { Templates } from './templates';
import { triggerSpecs } from './trigger-specs';
import { shortText } from './short-text';
import { isPublicSuffix } from './public-suffix';

// ARA, "Constants".
const MIN_EXPIRY = days(1);
const MAX_DESTINATIONS = 3;
const MAX_REPORTS = 20;
const DEFAULT_REPORTS: Readonly<Record<SourceType, number>> = { navigation: 3, event: 1 };
const DEFAULT_MAX_EVENT_STATES = 3;
const MAX_SCOPES = 20;
const MAX_SCOPE_LENGTH = 50;

/** ARA, "parse source-registration JSON". @param limits gives the largest ε and state count that may be set. */
export function parseSource(json: Json, sourceType: SourceType, limits: Limits): Parsed<SourceRegistration> {
  return parse(json, sourceRegistration(sourceType, limits));
}

const templates = new Templates<SourceRegistration>({
  field: 'source_event_id',
  of: ({ sourceEventId }) => sourceEventId,
  with: (registration, sourceEventId) => ({ ...registration, sourceEventId }),
});

/** A source from the text of its header. @param read the headers that were read before */
export function parseSourceHeader(
  header: string,
  sourceType: SourceType,
  limits: Limits,
  read: ReadHeaders<SourceRegistration>,
): Parsed<SourceRegistration> {
  return templates.parse(header, sourceType, limits, read, () =>
    parseHeader(header, (json) => parseSource(json, sourceType, limits)),
  );
}

/** Event sources round to whole days, half up. */
const expiryFor: Readonly<Record<SourceType, Parser<Duration>>> = {
  navigation: clampedSeconds(MIN_EXPIRY, MAX_EXPIRY),
  event: (place) => {
    const expiry = expiryFor.navigation(place);
    const rounded = days(Math.round(expiry / days(1)));
    if (rounded !== expiry) place.warn('rounded', { seconds: rounded / 1000 });
    return rounded;
  },
};

const destination: Parser<Site | null> = (place) => {
  const url = typeof place.value === 'string' ? place.value : '';
  const site = siteOfUrl(url);
  if (site === null) place.expected('destination');
  else if (parseUrl(url)?.href !== `${site}/`) place.warn('ignored-url-parts', { site });
  if (site !== null && isPublicSuffix(site)) place.warn('public-suffix', { site });
  return site;
};

const severalDestinations = set(destination, { min: 1 });

/** ARA, "parse attribution destinations": sorted, so that their order in the header reveals nothing. */
const destinations: Parser<readonly Site[]> = (place) => {
  const { value } = place;
  if (typeof value !== 'string' && !Array.isArray(value)) {
    place.expected('sites');
    return [];
  }
  const sites = typeof value === 'string' ? [destination(place)] : severalDestinations(place);
  const distinct = sites.flatMap((site) => site ?? []).sort();
  if (distinct.length > MAX_DESTINATIONS) {
    place.error('too-many-sites', { max: MAX_DESTINATIONS, count: distinct.length });
  }
  return distinct;
};

const scopeList = set(shortText(MAX_SCOPE_LENGTH), { min: 1 });
const scopeLimit = integer(1, MAX_UINT32);

/** ARA, "parse attribution scopes". */
const attributionScopes = (limits: Limits): Parser<AttributionScopes | null> =>
  object((fields) => {
    const limit = fields.required('limit', scopeLimit, MAX_SCOPES);
    const maxEventStates = fields.optional(
      'max_event_states',
      (place) => readInteger(place, 1, Number(limits.maxTriggerStateCardinality)),
      DEFAULT_MAX_EVENT_STATES,
    );
    const max = Math.min(limit, MAX_SCOPES);
    const scopes: Parser<readonly string[]> = (place) => {
      const values = scopeList(place);
      if (values.length > max) place.error('too-many-values', { max, count: values.length });
      return values;
    };
    return { limit, values: fields.required('values', scopes, []), maxEventStates };
  });

const maxReports = integer(0, MAX_REPORTS);
const matchings = choice('exact', 'modulus');

export const sourceRegistration = (sourceType: SourceType, limits: Limits): Parser<SourceRegistration> =>
  object((fields) => {
    const expiry = fields.optional('expiry', expiryFor[sourceType], MAX_EXPIRY);
    const maxEventLevelReports = fields.optional(
      'max_event_level_reports',
      maxReports,
      DEFAULT_REPORTS[sourceType],
    );
    const matching = fields.optional('trigger_data_matching', matchings, 'modulus');
    const windows = topLevelWindows(fields, sourceType, expiry);
    const { specs, flexible } = triggerSpecs(fields, {
      sourceType,
      expiry,
      windows,
      maxEventLevelReports,
      matching,
    });
    const sites = fields.required('destination', destinations, []);
    return {
      sourceEventId: fields.optional('source_event_id', uint64, 0n),
      destinations: sites,
      expiry,
      priority: fields.optional('priority', int64, 0n),
      destinationLimitPriority: fields.optional('destination_limit_priority', int64, 0n),
      filterData: fields.optional('filter_data', filterData, new Map()),
      debugKey: fields.lenient<bigint | null>('debug_key', uint64, null),
      debugReporting: fields.lenient('debug_reporting', boolean, false),
      maxEventLevelReports,
      triggerSpecs: specs,
      flexible,
      triggerDataMatching: matching,
      eventLevelEpsilon: fields.optional(
        'event_level_epsilon',
        (place) => epsilon(readNumber(place, 0, limits.maxSettableEpsilon)),
        limits.maxSettableEpsilon,
      ),
      attributionScopes: fields.optional('attribution_scopes', attributionScopes(limits), null),
      aggregatable: aggregatableSource(fields, expiry, limits),
    };
  });
