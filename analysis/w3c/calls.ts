import type { Json, JsonObject } from '../../src/model/json';
import type { Registration } from '../../src/model/incoming-registration';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import { expectation, mistake, type Issue } from '../../formats/codec/mistakes';
import type { TriggerRegistration } from '../../src/model/registration';
import { days } from '../../src/model/units';
import { parse, type Parsed } from '../../formats/codec/issues';
import { parseJsonHeader } from '../../formats/registration/header';
import { parseSource } from '../../formats/registration/source';
import { parseTrigger } from '../../formats/registration/trigger';
import type { Call } from '../../w3c/matching';
import {
  conversionOptions,
  impressionOptions,
  type ConversionOptions,
  type ImpressionOptions,
} from '../../w3c/options';
import { bucketName, type Profile } from './profile';
import { siteNameOf } from '../../w3c/site-name';
import { shown } from '../../formats/codec/shown';

/** The call that a page would make in place of a registration, or why there is none. */
export type ApiCall =
  | { readonly kind: 'impression'; readonly call: Call; readonly options: ImpressionOptions }
  | {
      readonly kind: 'conversion';
      readonly call: Call;
      readonly options: ConversionOptions;
      /** Whether the trigger has filters that the API has no option for. They are left out. */
      readonly losesFilters: boolean;
    }
  | { readonly kind: 'invalid'; readonly issue: Issue | undefined }
  /** None of the buckets is that of the source, or that of the trigger's filters. */
  | { readonly kind: 'no-bucket' };

/** The key of filters that every source has. */
export const SOURCE_TYPE = 'source_type';

/** Translates a registration for Attribution Reporting; docs/w3c.md says how. */
export function apiCallOf({ occasion, register, header }: Registration, profile: Profile): ApiCall {
  const topLevelSite = siteNameOf(hostOf(occasion.contextOrigin), profile.limits.localhost);
  if (topLevelSite === null) return invalid([notASite(occasion.contextOrigin)]);
  const caller = hostOf(occasion.reportingOrigin);
  const callerSite = siteNameOf(caller, profile.limits.localhost);
  const intermediarySite = callerSite === topLevelSite ? null : callerSite;
  const call = { time: occasion.time, topLevelSite, intermediarySite };
  const json = parseJsonHeader(header);
  if (json.errors.length > 0) return invalid(json.errors);
  return register.kind === 'source'
    ? impression(call, caller, json.value, register.sourceType, profile)
    : conversion(call, caller, json.value, profile);
}

function impression(
  call: Call,
  caller: string,
  header: Json,
  sourceType: SourceType,
  { columns, buckets, limits }: Profile,
): ApiCall {
  const { value: source, errors } = parseSource(header, sourceType, chromiumLimits);
  if (source === null) return invalid(errors);
  const values = columns.map((column) =>
    column === SOURCE_TYPE ? sourceType : (source.filterData.get(column)?.[0] ?? ''),
  );
  const bucket = buckets.get(bucketName(values));
  if (bucket === undefined) return { kind: 'no-bucket' };
  const asked: JsonObject = {
    histogramIndex: bucket,
    matchValue: bucket,
    conversionSites: source.destinations.map(hostOf),
    conversionCallers: [caller],
    lifetimeDays: Math.ceil(source.expiry / days(1)),
    priority: Number(source.priority),
  };
  return withOptions(parse(asked, impressionOptions(limits)), (options) => ({
    kind: 'impression',
    call,
    options,
  }));
}

function conversion(call: Call, caller: string, header: Json, profile: Profile): ApiCall {
  const { value: trigger, errors } = parseTrigger(header, chromiumLimits);
  if (trigger === null) return invalid(errors);
  const matchValues = matchValuesOf(trigger, profile);
  if (matchValues === null) return { kind: 'no-bucket' };
  const selection: JsonObject = {
    histogramSize: profile.buckets.size,
    matchValues,
    impressionCallers: [caller],
  };
  return withOptions(
    parse(selection, conversionOptions(profile.limits)),
    ({ matchValues, impressionCallers }) => ({
      kind: 'conversion',
      call,
      options: { ...profile.conversion, ...valueOf(trigger, profile), matchValues, impressionCallers },
      losesFilters: losesFilters(trigger, profile),
    }),
  );
}

function valueOf(
  { eventTriggerData }: TriggerRegistration,
  { countsValues, conversion: { maxValue } }: Profile,
): Partial<Pick<ConversionOptions, 'value'>> {
  const [value = 1] = eventTriggerData.map((data) => data.value);
  return countsValues ? { value: Math.min(value, maxValue) } : {};
}

/** The buckets that the trigger's filters name: none for all, null if they name no bucket that there is. */
function matchValuesOf(
  { filters }: TriggerRegistration,
  { columns, buckets }: Profile,
): readonly number[] | null {
  const named = filters.map(({ values }) => columns.map((column) => values.get(column)));
  // Attribution needs to match only one of the filters.
  if (named.length === 0 || named.some((lists) => lists.every((list) => list === undefined))) return [];
  const found = named.flatMap((lists) => bucketsWith(lists, buckets));
  return found.length === 0 ? null : [...new Set(found)];
}

/** The buckets whose value of each column is in its list, if it has one. */
function bucketsWith(
  lists: readonly (readonly string[] | undefined)[],
  buckets: Profile['buckets'],
): readonly number[] {
  const [only = []] = lists;
  if (lists.length === 1) return only.flatMap((name) => buckets.get(name) ?? []);
  const allowed = lists.map((list) => (list === undefined ? null : new Set(list)));
  return [...buckets].flatMap(([name, index]) =>
    (JSON.parse(name) as readonly string[]).every((value, place) => allowed[place]?.has(value) !== false)
      ? [index]
      : [],
  );
}

const losesFilters = ({ filters, notFilters }: TriggerRegistration, { columns }: Profile): boolean =>
  notFilters.length > 0 ||
  filters.some(
    ({ values, lookbackWindow }) =>
      lookbackWindow !== null || [...values.keys()].some((key) => !columns.includes(key)),
  );

const withOptions = <T>({ value, errors }: Parsed<T>, make: (options: T) => ApiCall): ApiCall =>
  value === null ? invalid(errors) : make(value);

const invalid = ([issue]: readonly Issue[]): ApiCall => ({ kind: 'invalid', issue });

const notASite = (origin: string): Issue => ({
  ...mistake('must-be', { what: expectation('site-name'), was: shown(origin) }),
  path: 'context_origin',
});

const hostOf = (origin: string): string => new URL(origin).hostname;
