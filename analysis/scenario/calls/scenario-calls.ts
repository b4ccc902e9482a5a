import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import { moment, type Moment } from '../../../src/model/units';
import { MAX_UINT32 } from '../../../src/model/registration';
import { choice, integer, list, string, type Parser } from '../../../formats/codec/codec';
import type { Place } from '../../../formats/codec/issues';
import { Fields } from '../../../formats/codec/record';
import { apiLimits, defaultLimits, type ApiLimits } from '../../../w3c/limits';
import type { Call } from '../../../w3c/matching';
import {
  conversionOptions,
  impressionOptions,
  type ConversionOptions,
  type ImpressionOptions,
} from '../../../w3c/options';
import { siteName } from '../../../w3c/site-name';

/** What a page or a browser does with W3C Attribution in a scenario. */
export type ScenarioCall = {
  readonly time: Moment;
  /** The place in the file. */
  readonly path: string;
} & (
  | {
      readonly kind: 'saveImpression';
      readonly call: Call;
      readonly options: ImpressionOptions;
      /** As a page passes them. */
      readonly asked: JsonObject;
    }
  | {
      readonly kind: 'measureConversion';
      readonly call: Call;
      readonly options: ConversionOptions;
      readonly asked: JsonObject;
      /** What each credited impression gets, by descending priority and then by descending time; null: left to the noise. */
      readonly credit: readonly number[] | null;
    }
  /** As a `Clear-Site-Data` header of the site does. */
  | { readonly kind: 'clearImpressions'; readonly site: string }
  /** As erasing does: from then on, nothing of the running epoch is attributed. */
  | { readonly kind: 'erase' }
);

/** A report in a scenario file and in the output of replay, before it is sealed. */
export interface ScenarioHistogram {
  readonly time: string;
  readonly site: string;
  readonly caller: string;
  /** The buckets that are not empty, by their numbers. */
  readonly histogram: Readonly<Record<string, number>>;
}

/** In a file. Null: a replay can make another one, because the file lacks what decided it. */
export type StatedHistogram = Omit<ScenarioHistogram, 'histogram'> & {
  readonly histogram: ScenarioHistogram['histogram'] | null;
};

/** The W3C half of a scenario. */
export interface ScenarioCalls extends CallConfig {
  readonly calls: readonly ScenarioCall[];
  readonly histograms: readonly StatedHistogram[];
}

/** The part `w3c` of a scenario file. */
export interface CallConfig {
  readonly limits: ApiLimits;
  /** Null: left to the noise. */
  readonly epochStart: Moment | null;
}

/** Milliseconds since 1970 as text, as scenario files have them. */
export const timestamp: Parser<Moment> = (place) => {
  if (typeof place.value === 'string' && /^\d{1,15}$/.test(place.value)) return moment(Number(place.value));
  place.expected('epoch-milliseconds');
  return moment(0);
};

export const defaultCallConfig: CallConfig = { limits: defaultLimits, epochStart: null };

export const callConfig: Parser<CallConfig> = (place) => {
  const fields = new Fields(place);
  const config = {
    limits: fields.optional('limits', apiLimits, defaultLimits),
    epochStart: fields.optional<Moment | null>('epoch_start', timestamp, null),
  };
  fields.warnUnknown();
  return config;
};

/** The calls of `input.w3c`, in the order of time. */
export const scenarioCalls =
  (limits: ApiLimits): Parser<readonly ScenarioCall[]> =>
  (place) => {
    const calls = list(scenarioCall(limits))(place);
    let last = -Infinity;
    for (const { time } of calls) {
      if (time < last) place.error('time-order', { time, last });
      last = time;
    }
    return calls;
  };

const kinds = ['saveImpression', 'measureConversion', 'clearImpressions', 'erase'] as const;

const scenarioCall =
  (limits: ApiLimits): Parser<ScenarioCall> =>
  (place) => {
    const fields = new Fields(place);
    const time = fields.required('timestamp', timestamp, moment(0));
    const kind = fields.required('call', choice(...kinds), 'erase');
    const call = { time, path: place.path, ...partOf(fields, kind, time, limits) };
    fields.warnUnknown();
    return call;
  };

type Part<Of = ScenarioCall> = Of extends ScenarioCall ? Omit<Of, 'time' | 'path'> : never;

function partOf(fields: Fields, kind: ScenarioCall['kind'], time: Moment, limits: ApiLimits): Part {
  if (kind === 'erase') return { kind };
  const topLevelSite = fields.required('site', siteName(limits), '');
  if (kind === 'clearImpressions') return { kind, site: topLevelSite };
  const caller = fields.optional('caller', siteName(limits), topLevelSite);
  const call = { time, topLevelSite, intermediarySite: caller === topLevelSite ? null : caller };
  const asked = fields.optional('options', askedOptions, {});
  if (kind === 'saveImpression')
    return {
      kind,
      call,
      asked,
      options: fields.required('options', impressionOptions(limits), unused as ImpressionOptions),
    };
  return {
    kind,
    call,
    asked,
    options: fields.required(
      'options',
      withoutService(conversionOptions(limits)),
      unused as ConversionOptions,
    ),
    credit: fields.optional<readonly number[] | null>('credit', list(integer(0, MAX_UINT32)), null),
  };
}

/** After a mistake, nobody uses the options. */
const unused = {};

const askedOptions: Parser<JsonObject> = ({ value }) => withoutServiceIn(value);

/** Options as a file has them. */
export const withoutServiceIn = (value: Json): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(value) ? value : {}).filter(([name]) => name !== 'aggregationService'),
  );

/** There is one service, and a replay names it. */
const withoutService =
  <T>(parser: Parser<T>): Parser<T> =>
  (place: Place) =>
    parser(isJsonObject(place.value) ? place.with(withoutServiceIn(place.value)) : place);

/** The histograms of `output`. */
export const scenarioHistograms = list((place): StatedHistogram => {
  const fields = new Fields(place);
  const time = fields.required('time', timestamp, moment(0));
  const site = fields.required('site', string, '');
  return {
    time: String(time),
    site,
    caller: fields.optional('caller', string, site),
    histogram: fields.required<StatedHistogram['histogram']>(
      'histogram',
      (at) => (at.value === null ? null : buckets(at)),
      {},
    ),
  };
});

const buckets: Parser<Readonly<Record<string, number>>> = (place) => {
  const fields = new Fields(place);
  return Object.fromEntries(
    fields.names().map((name) => [name, fields.required(name, integer(0, MAX_UINT32), 0)]),
  );
};
