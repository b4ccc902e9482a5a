import type { Json } from '../../src/model/json';
import type { AggregationKey } from '../../src/model/aggregatable';
import { defaultMeasurement, type MeasurementSettings } from '../../src/model/mechanisms';
import { originOfUrl } from '../../src/model/origin';
import type { DeliveryProfile } from '../../src/reports/next-step';
import type { RecordingRule } from '../../recording/recording-rule';
import { recordingRule } from '../../recording/rules';
import { boolean, choice, codec, list, orNull, plain, string, stringUpTo, type Codec } from '../codec/codec';
import { parse, type Parsed } from '../codec/issues';
import { toJson } from '../codec/plain-json';
import { record, required, withDefault } from '../codec/record';
import { publicKey } from '../reports/public-key';
import { site } from './parse-budget';
import { measurementFields } from './parse-mechanisms';

/** Set by the person or by their trial. Kept in the store; every field has a default. */
export interface Settings extends MeasurementSettings {
  /** While true, nothing is recorded. Reports of earlier records are still sent. */
  readonly paused: boolean;
  /** Sites (`https://shop.example`) on which nothing is recorded. */
  readonly pausedSites: readonly string[];
  /** The origin that receives every report; null: each goes to its reporting origin. */
  readonly collector: string | null;
  /**
   * The only public keys for which aggregatable reports are sealed, the same for everybody. Without any, the extension asks the collector
   * for keys, and the collector could give each person another.
   */
  readonly aggregationKeys: readonly AggregationKey[];
  /** See docs/contracts.md, "Delivery". */
  readonly deliveryProfile: DeliveryProfile;
  readonly rules: readonly RecordingRule[];
  /** Whether pages get `navigator.attribution` (docs/w3c.md). */
  readonly w3cAttribution: boolean;
  readonly debug: DebugSettings;
}

/** In force only while `enabled`; see `effectiveDebug`. */
export interface DebugSettings {
  readonly enabled: boolean;
  /** False: every source reports truthfully. */
  readonly noise: boolean;
  /** False: reports are sent at once instead of when the window ends. */
  readonly delay: boolean;
  /** If not null, all randomness comes from this seed and can be repeated. */
  readonly seed: string | null;
  /** Replaces the third-party cookie access that ARA requires for debug reports. */
  readonly debugReports: boolean;
  /** Whether `attributionsrc` of any page reaches this device and private networks, as names of a staging host lead there. */
  readonly privateNetworks: boolean;
}

/** The settings of a new installation. */
export const defaultSettings: Settings = {
  paused: false,
  pausedSites: [],
  collector: null,
  aggregationKeys: [],
  deliveryProfile: 'lossless',
  rules: [],
  w3cAttribution: false,
  ...defaultMeasurement,
  debug: {
    enabled: false,
    noise: true,
    delay: true,
    seed: null,
    debugReports: false,
    privateNetworks: false,
  },
};

/** The debug switches in force: as in production unless debug mode is on. */
export function effectiveDebug(settings: Settings): DebugSettings {
  return settings.debug.enabled ? settings.debug : defaultSettings.debug;
}

/** Reads settings from a page or a file. Missing fields keep the value of `current`. */
export function parseSettings(document: Json, current: Settings = defaultSettings): Parsed<Settings> {
  return parse(document, settings(current));
}

/** As `parseSettings`, for settings within another document. */
export const settings = (current: Settings): Codec<Settings> =>
  record<Settings>(
    {
      paused: withDefault('paused', boolean, current.paused),
      pausedSites: withDefault('pausedSites', list(siteText), current.pausedSites),
      collector: withDefault('collector', collector, current.collector),
      aggregationKeys: withDefault(
        'aggregationKeys',
        list(aggregationKey, { max: MOST_KEYS }),
        current.aggregationKeys,
      ),
      deliveryProfile: withDefault('deliveryProfile', choice('lossless', 'chrome'), current.deliveryProfile),
      rules: withDefault('rules', rules, current.rules),
      w3cAttribution: withDefault('w3cAttribution', boolean, current.w3cAttribution),
      ...measurementFields(current),
      debug: withDefault('debug', debug(current.debug), current.debug),
    },
    { unknown: 'warned of' },
  );

const siteText = plain<string>((place) => site(place), site.schema);

const collector: Codec<string | null> = plain<string | null>(
  (place) => {
    if (place.value === null) return null;
    const origin = originOfUrl(string(place));
    if (origin === null) place.expected('origin-or-null');
    return origin;
  },
  { type: ['string', 'null'] },
);

/** More than key rotation needs. With very many keys, each person could again get a different one. */
const MOST_KEYS = 5;

const writtenKey: Codec<string> = plain((place) => {
  publicKey(place);
  return typeof place.value === 'string' ? place.value : '';
}, publicKey.schema);

const aggregationKey: Codec<AggregationKey> = record(
  { id: required('id', stringUpTo(100)), key: required('key', writtenKey) },
  { unknown: 'warned of' },
);

const rules: Codec<Settings['rules']> = codec(
  (place) => {
    const parsed = list(recordingRule)(place);
    const ids = new Set<string>();
    const repeated = parsed.find(({ id }) => ids.size === ids.add(id).size);
    if (repeated !== undefined) place.error('repeated-rule', { id: repeated.id });
    return parsed;
  },
  toJson,
  { type: 'array', items: { type: 'object' } },
);

const debug = (current: DebugSettings): Codec<DebugSettings> =>
  record<DebugSettings>(
    {
      enabled: withDefault('enabled', boolean, current.enabled),
      noise: withDefault('noise', boolean, current.noise),
      delay: withDefault('delay', boolean, current.delay),
      seed: withDefault('seed', orNull(stringUpTo(200)), current.seed),
      debugReports: withDefault('debugReports', boolean, current.debugReports),
      privateNetworks: withDefault('privateNetworks', boolean, current.privateNetworks),
    },
    { unknown: 'warned of' },
  );
