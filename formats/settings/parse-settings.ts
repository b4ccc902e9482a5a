import type { Json } from '../../src/model/json';
import { defaultSettings, type DebugSettings, type Settings } from './settings';
import { recordingRule } from '../../recording/rules';
import { boolean, list, choice, orNull, string, stringUpTo, type Parser } from '../codec/codec';
import { Fields } from '../codec/record';
import { parse, type Parsed } from '../codec/issues';
import { site } from './parse-budget';
import { measurementSettings } from './parse-mechanisms';
import { originOfUrl } from '../../src/model/origin';
import { publicKey } from '../reports/public-key';
import type { AggregationKey } from '../../src/model/aggregatable';

/** Reads settings from a page or a file. Missing fields keep the value of `current`. */
export function parseSettings(document: Json, current: Settings = defaultSettings): Parsed<Settings> {
  return parse(document, settings(current));
}

/** As `parseSettings`, for settings within another document. */
export const settings =
  (current: Settings): Parser<Settings> =>
  (place) => {
    const fields = new Fields(place);
    const parsed: Settings = {
      paused: fields.optional('paused', boolean, current.paused),
      pausedSites: fields.optional('pausedSites', list(site), current.pausedSites),
      collector: fields.optional<string | null>('collector', collector, current.collector),
      aggregationKeys: fields.optional('aggregationKeys', aggregationKeys, current.aggregationKeys),
      deliveryProfile: fields.optional(
        'deliveryProfile',
        choice('lossless', 'chrome'),
        current.deliveryProfile,
      ),
      rules: fields.optional('rules', rules, current.rules),
      w3cAttribution: fields.optional('w3cAttribution', boolean, current.w3cAttribution),
      ...measurementSettings(fields, current),
      debug: fields.optional('debug', debug(current.debug), current.debug),
    };
    fields.warnUnknown();
    return parsed;
  };

const collector: Parser<string | null> = (place) => {
  if (place.value === null) return null;
  const origin = originOfUrl(string(place));
  if (origin === null) place.expected('origin-or-null');
  return origin;
};

/** More than key rotation needs. With very many keys, each person could again get a different one. */
const MOST_KEYS = 5;

const writtenKey: Parser<string> = (place) => {
  publicKey(place);
  return typeof place.value === 'string' ? place.value : '';
};

const aggregationKey: Parser<AggregationKey> = (place) => {
  const fields = new Fields(place);
  const parsed = {
    id: fields.required('id', stringUpTo(100), ''),
    key: fields.required('key', writtenKey, ''),
  };
  fields.warnUnknown();
  return parsed;
};

const aggregationKeys = list(aggregationKey, { max: MOST_KEYS });

const rules: Parser<Settings['rules']> = (place) => {
  const parsed = list(recordingRule)(place);
  const ids = new Set<string>();
  const repeated = parsed.find(({ id }) => ids.size === ids.add(id).size);
  if (repeated !== undefined) place.error('repeated-rule', { id: repeated.id });
  return parsed;
};

const debug =
  (current: DebugSettings): Parser<DebugSettings> =>
  (place) => {
    const fields = new Fields(place);
    const parsed: DebugSettings = {
      enabled: fields.optional('enabled', boolean, current.enabled),
      noise: fields.optional('noise', boolean, current.noise),
      delay: fields.optional('delay', boolean, current.delay),
      seed: fields.optional('seed', orNull(stringUpTo(200)), current.seed),
      debugReports: fields.optional('debugReports', boolean, current.debugReports),
      privateNetworks: fields.optional('privateNetworks', boolean, current.privateNetworks),
    };
    fields.warnUnknown();
    return parsed;
  };
