import { parseDictionary } from 'structured-headers';
import type { Json, JsonObject } from '../src/model/json';
import { MAX_UINT32 } from '../src/model/registration';

/** What a header asks for: the options of the call, not yet validated; null if the header is malformed. */
export type AskedByHeader = JsonObject | null;

export const SAVE_IMPRESSION = 'save-impression';
export const MEASURE_CONVERSION = 'measure-conversion';
export const CLEAR_SITE_DATA = 'clear-site-data';

/** Parsing takes microseconds for each character. */
const MAX_LENGTH = 8 * 1024;

type Kind =
  | 'uint32'
  | 'int32'
  | 'positive'
  | 'days'
  | 'decimal'
  | 'string'
  | 'uint32s'
  | 'decimals'
  | 'strings';

/** The kind of each member's value, with the name of the option that it is. */
const impressionKeys = {
  'histogram-index': ['histogramIndex', 'uint32'],
  'match-value': ['matchValue', 'uint32'],
  'conversion-sites': ['conversionSites', 'strings'],
  'conversion-callers': ['conversionCallers', 'strings'],
  'lifetime-days': ['lifetimeDays', 'days'],
  priority: ['priority', 'int32'],
} as const satisfies Readonly<Record<string, readonly [string, Kind]>>;

const conversionKeys = {
  'aggregation-service': ['aggregationService', 'string'],
  'histogram-size': ['histogramSize', 'positive'],
  epsilon: ['epsilon', 'decimal'],
  'lookback-days': ['lookbackDays', 'days'],
  'match-values': ['matchValues', 'uint32s'],
  'impression-sites': ['impressionSites', 'strings'],
  'impression-callers': ['impressionCallers', 'strings'],
  credit: ['credit', 'decimals'],
  value: ['value', 'positive'],
  'max-value': ['maxValue', 'positive'],
  'report-url': ['reportUrl', 'string'],
} as const satisfies Readonly<Record<string, readonly [string, Kind]>>;

/** W3C Attribution, "parse a `Save-Impression` header". An integer that a script could not pass is an error here, too, so it calls nothing. */
export const parseSaveImpression = (header: string): AskedByHeader =>
  parseHeader(header, impressionKeys, ['histogram-index']);

/** W3C Attribution, "parse a `Measure-Conversion` header". The address of the report is an option here, as it is written. */
export const parseMeasureConversion = (header: string): AskedByHeader =>
  parseHeader(header, conversionKeys, ['aggregation-service', 'histogram-size', 'report-url']);

/**
 * The address for a report (W3C Attribution, "parse a `Measure-Conversion` header").
 * @param local whether servers of this device may have it without https
 * @returns null if it is none
 */
export function reportAddress(written: string, base: string, local: boolean): string | null {
  if (!URL.canParse(written, base)) return null;
  const { href, protocol, hostname } = new URL(written, base);
  return protocol === 'https:' || (local && /(^|\.)localhost$/.test(hostname)) ? href : null;
}

/** Whether a `Clear-Site-Data` header asks to clear impressions. */
export const clearsImpressions = (header: string): boolean =>
  header.split(',').some((type) => ['"impressions"', '"*"'].includes(type.trim()));

function parseHeader(
  header: string,
  keys: Readonly<Record<string, readonly [option: string, kind: Kind]>>,
  required: readonly string[],
): AskedByHeader {
  if (header.length > MAX_LENGTH) return null;
  const members = dictionary(header);
  if (members === null || required.some((name) => !members.has(name))) return null;
  const options: [string, Json][] = [];
  for (const [name, [option, kind]] of Object.entries(keys)) {
    const member = members.get(name);
    if (member === undefined) continue;
    const value = read[kind](bare(member));
    if (value === null || (isWhole.has(kind) && hasDecimal(header, name))) return null;
    options.push([option, value]);
  }
  return Object.fromEntries(options);
}

type Members = ReturnType<typeof parseDictionary>;

function dictionary(header: string): Members | null {
  try {
    return parseDictionary(header);
  } catch {
    return null;
  }
}

const isWhole: ReadonlySet<Kind> = new Set(['uint32', 'int32', 'positive', 'days', 'uint32s']);

/** Whether a member has a decimal (RFC 9651, 3.3.2). The parser reads 1.0 as 1, but it is no integer. The last member of a name counts. */
function hasDecimal(header: string, name: string): boolean {
  const members = header.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').split(',');
  const member = members.findLast((text) => text.trimStart().startsWith(`${name}=`)) ?? '';
  return /\d\.\d/.test(member.replaceAll(/; *[^; )]*/g, ''));
}

/** Without parameters, which mean nothing here. */
const bare = ([value]: Members extends Map<string, infer Member> ? Member : never): unknown =>
  Array.isArray(value) ? value.map(([item]) => item) : value;

const isWithin =
  (least: number, most: number) =>
  (value: unknown): value is number =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
const isUint32 = isWithin(0, MAX_UINT32);
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isString = (value: unknown): value is string => typeof value === 'string';

const one =
  (isIt: (value: unknown) => value is number | string) =>
  (value: unknown): Json =>
    isIt(value) ? value : null;

const several =
  (isIt: (value: unknown) => value is number | string) =>
  (value: unknown): Json =>
    Array.isArray(value) && value.every(isIt) ? value : null;

/** Null for another kind of value. */
const read: Readonly<Record<Kind, (value: unknown) => Json>> = {
  uint32: one(isUint32),
  int32: one(isWithin(-(2 ** 31), 2 ** 31 - 1)),
  positive: one(isWithin(1, MAX_UINT32)),
  // More than the longest count as the longest, also beyond what the dictionary of a script can hold.
  days: (value) => (isWithin(1, Infinity)(value) ? Math.min(value, MAX_UINT32) : null),
  decimal: one(isNumber),
  string: one(isString),
  uint32s: several(isUint32),
  decimals: several(isNumber),
  strings: several(isString),
};
