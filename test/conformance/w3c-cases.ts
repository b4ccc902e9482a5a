import { readFileSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { english } from '../../words/english';
import type { Issue } from '../../formats/codec/mistakes';
import { moment } from '../../src/model/units';
import {
  anyJson,
  boolean,
  integer,
  list,
  number,
  choice,
  string,
  type Parser,
} from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse } from '../../formats/codec/issues';
import type { RandomSource } from '../../src/privacy/random-source';
import { AttributionApi } from '../../analysis/w3c/attribution-api';
import { apiLimits, defaultLimits, type ApiLimits } from '../../w3c/limits';
import type { Call } from '../../w3c/matching';
import { conversionOptions, errorOf, impressionOptions } from '../../w3c/options';
import { siteName } from '../../w3c/site-name';
import { MAX_UINT32 } from '../../src/model/registration';

/*
 * Files in the format of the end-to-end cases of the repository w3c/attribution (impl/e2e.schema.json).
 */

/** What an event gives: a histogram, the name of an error, or nothing. */
type EventResult = readonly number[] | string | null;

export interface CaseEvent {
  readonly seconds: number;
  readonly expected: EventResult;
  readonly actual: EventResult;
}

export interface CaseConfig {
  readonly limits: ApiLimits;
  /** The addresses of the aggregation services that there are. */
  readonly services: readonly string[];
  /** What stands for each random number from 0 to 1. */
  readonly random: RandomSource;
}

const readJson = (file: string): Json => JSON.parse(readFileSync(file, 'utf8')) as Json;

/** Always takes the possibility that the given part of all of them comes before. */
function fixed(part: number): RandomSource {
  return {
    uint64: () => {
      throw new Error('only decisions are drawn');
    },
    decide: ({ length }) => Math.floor(part * length),
  };
}

/** The limits as `CONFIG.json` has them. */
export function readLimits(file: string): JsonObject {
  const json = readJson(file);
  const names = Object.keys(defaultLimits);
  return Object.fromEntries(
    Object.entries(isJsonObject(json) ? json : {}).filter(([name]) => names.includes(name)),
  );
}

/** Reads `CONFIG.json`. */
export function readConfig(file: string): CaseConfig {
  const { value, errors } = parse(readJson(file), (place) => {
    const fields = new Fields(place);
    const [epochStart, credit] = [
      fields.required('epochStart', number(0, 1), 0),
      fields.required('fairlyAllocateCreditFraction', number(0, 1), 0),
    ];
    // Both are drawn from one source.
    if (epochStart !== credit) throw new Error(`${file}: both fractions must be equal`);
    const services = fields.required('aggregationServices', anyJson, {});
    return {
      limits: apiLimits(place),
      services: Object.keys(isJsonObject(services) ? services : {}),
      random: fixed(credit),
    };
  });
  if (value === null) throw new Error(`${file}: ${english.issuesText(errors)}`);
  return value;
}

/** Reads a case. */
export function readW3cCase(file: string): readonly ParsedEvent[] {
  const { value, errors } = parse(readJson(file), (place) =>
    new Fields(place).required('events', list(event), []),
  );
  if (value === null) throw new Error(`${file}: ${english.issuesText(errors)}`);
  return value;
}

/** Runs a case, and returns its events with what is expected and what happened. */
export function runW3cCase(file: string, config: CaseConfig): readonly CaseEvent[] {
  const api = new AttributionApi(config.limits, () => config.random);
  return readW3cCase(file).map((parsed) => ({ ...parsed, actual: perform(api, config, parsed) }));
}

const events = [
  'saveImpression',
  'measureConversion',
  'clearImpressionsForSite',
  'clearBrowsingHistoryForAttribution',
  'enableAPI',
  'disableAPI',
] as const;

export interface ParsedEvent {
  readonly kind: (typeof events)[number];
  readonly seconds: number;
  readonly expected: EventResult;
  /** The page that calls, and the frame if there is one; unchecked, because cases have pages on localhost. */
  readonly pages: Json;
  readonly options: Json;
  readonly sites: readonly string[];
  readonly forgetVisits: boolean;
}

const any: Parser<Json> = ({ value }) => value;

const event: Parser<ParsedEvent> = (place) => {
  const fields = new Fields(place);
  const error = fields.optional('expectedError', result, null);
  const site = fields.optional('site', string, '');
  return {
    kind: fields.required('event', choice(...events), 'enableAPI'),
    seconds: fields.required('seconds', integer(0, MAX_UINT32), 0),
    expected: fields.optional('expected', result, error),
    pages: fields.verbatim(['site', 'intermediarySite']),
    options: fields.optional('options', any, null),
    sites: fields.optional('sites', list(string), [site]),
    forgetVisits: fields.optional('forgetVisits', boolean, false),
  };
};

/** Of errors, cases have the name, or an object with it. */
const result: Parser<EventResult> = (place) => {
  if (Array.isArray(place.value)) return list(integer(0, MAX_UINT32))(place);
  return isJsonObject(place.value) ? new Fields(place).required('name', string, '') : string(place);
};

/** What one event of a case does. */
export function perform(
  api: AttributionApi,
  { limits, services }: CaseConfig,
  event: ParsedEvent,
): EventResult {
  const { kind, seconds, pages, options, sites, forgetVisits } = event;
  const time = moment(seconds * 1000);
  switch (kind) {
    case 'saveImpression':
      return calling(
        parse(pages, call(limits, time)),
        parse(options, impressionOptions(limits)),
        (made, parsed) => {
          api.saveImpression(made, parsed);
          return null;
        },
      );
    case 'measureConversion': {
      const { aggregationService, ...withoutService } = isJsonObject(options) ? options : {};
      // Ours leave it out where it does not matter.
      const service = aggregationService ?? services[0];
      if (!services.some((known) => known === service)) return 'ReferenceError';
      return calling(
        parse(pages, call(limits, time)),
        parse(withoutService, conversionOptions(limits)),
        (made, parsed) => api.measureConversion(made, parsed).histogram,
      );
    }
    case 'clearImpressionsForSite':
      for (const site of sites) api.clearImpressionsForSite(site);
      return null;
    case 'clearBrowsingHistoryForAttribution':
      api.clearBrowsingHistory(time, new Set(sites), forgetVisits);
      return null;
    case 'enableAPI':
    case 'disableAPI':
      api.enabled = kind === 'enableAPI';
      return null;
  }
}

const call =
  (limits: ApiLimits, time: Call['time']): Parser<Call> =>
  (place) => {
    const fields = new Fields(place);
    return {
      time,
      topLevelSite: fields.required('site', siteName(limits), ''),
      intermediarySite: fields.optional<string | null>('intermediarySite', siteName(limits), null),
    };
  };

interface Read<T> {
  readonly value: T | null;
  readonly errors: readonly Issue[];
}

function calling<Options>(
  { value: made, errors: wrongCall }: Read<Call>,
  { value: options, errors: wrongOptions }: Read<Options>,
  run: (made: Call, options: Options) => EventResult,
): EventResult {
  if (made !== null && options !== null) return run(made, options);
  return errorOf([...wrongCall, ...wrongOptions]);
}
