import type { Json } from '../../src/model/json';
import type { AggregationKey } from '../../src/model/aggregatable';
import { originOfUrl } from '../../src/model/origin';
import { canNameCampaign, LEAST_SHARE, type LiftTestSettings } from '../../recording/lift-test';
import { recordingRule } from '../../recording/rules';
import {
  boolean,
  choice,
  codec,
  list,
  number,
  orNull,
  plain,
  string,
  stringUpTo,
  type Codec,
} from '../codec/codec';
import { parse, type Parsed, type Place } from '../codec/issues';
import { toJson } from '../codec/plain-json';
import { checked, record, required, withDefault } from '../codec/record';
import { publicKey } from '../reports/public-key';
import { site } from './parse-budget';
import { measurementFields } from './parse-mechanisms';
import { defaultSettings, type DebugSettings, type Settings } from './settings';

/** Reads settings from a page or a file. Missing fields keep the value of `current`. */
export function parseSettings(document: Json, current: Settings = defaultSettings): Parsed<Settings> {
  return parse(document, settings(current));
}

/** As `parseSettings`, for settings within another document. */
export const settings = (current: Settings): Codec<Settings> =>
  checked(
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
        deliveryProfile: withDefault(
          'deliveryProfile',
          choice('lossless', 'chrome'),
          current.deliveryProfile,
        ),
        rules: withDefault('rules', rules, current.rules),
        w3cAttribution: withDefault('w3cAttribution', boolean, current.w3cAttribution),
        liftTest: withDefault('liftTest', orNull(liftTest), current.liftTest),
        ...measurementFields(current),
        debug: withDefault('debug', debug(current.debug), current.debug),
      },
      { unknown: 'warned of' },
    ),
    checkLiftTest,
  );

/** What reports tell of an arm must be charged to one account, and nothing else may tell of it. */
function checkLiftTest({ liftTest, budget, attribution, aggregatableReports }: Settings, place: Place): void {
  if (liftTest === null) return;
  const test = place.at('liftTest', null);
  const isCharged = budget.unit === 'user' || budget.unit === 'user-advertiser';
  if (!isCharged || budget.epsilon === null) test.error('lift-test-without-budget');
  if (aggregatableReports) test.error('lift-test-with-aggregatable');
  // Whether a private choice is asked for, and charged, would depend on the arm.
  if (attribution.kind === 'exponential' || attribution.kind === 'permute-and-flip')
    test.error('lift-test-with-private-attribution');
}

const campaignKey: Codec<string> = plain<string>((place) => {
  const key = place.attempt(stringUpTo(25)) ?? '';
  if (!canNameCampaign(key)) place.error('campaign-key');
  return key;
}, stringUpTo(25).schema);

const liftTest: Codec<LiftTestSettings> = record(
  {
    campaign: required('campaign', campaignKey),
    holdout: required('holdout', number(LEAST_SHARE, 1 - LEAST_SHARE)),
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
