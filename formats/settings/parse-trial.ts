import { type Json } from '../../src/model/json';
import { chromiumLimits, type SourceType } from '../../src/model/limits';
import { defaultSettings, type Settings } from './settings';
import { settings } from './parse-settings';
import type { SourceRegistration } from '../../src/model/registration';
import type { StatedRegistration, Trial, TrialSignature, TrialTokens } from './trial';
import { moment, type Moment } from '../../src/model/units';
import { integer, list, choice, string, type Parser } from '../codec/codec';
import { Fields } from '../codec/record';
import { parse, strictly, type Parsed } from '../codec/issues';
import { base64Url } from '../codec/base64-url';
import { isoText, isoTime } from '../codec/time';
import { serializeSource } from '../registration/serialize';
import { sourceRegistration } from '../registration/source';
import { localizedText, text, textByLanguage } from './localized-text';
import { trialTokens, writeTokens } from './parse-tokens';
import { toJson } from '../codec/plain-json';

const MAX_LINE = 200;
const MAX_TEXT = 20_000;
const MAX_REGISTRATIONS = 20;

/** Settings of the person or of a developer, which a trial may not set. */
const NOT_OF_A_TRIAL = {
  debug: 'debug-in-trial',
  paused: 'paused-in-trial',
  pausedSites: 'paused-in-trial',
} as const;

/**
 * Reads a trial's configuration. Unknown fields are errors: nobody must agree to something that will not happen. Does not check the
 * signature: `readTrial` does.
 */
export const parseTrial = (document: Json): Parsed<Trial> => strictly(parse(document, trial));

/**
 * The configuration with all defaults explicit. `parseTrial` reads the same trial from it, except the signature, which does not cover the
 * defaults.
 */
export const serializeTrial = (trial: Trial): Json =>
  toJson({
    ...trial,
    settings: Object.fromEntries(
      Object.entries(trial.settings).filter(([name]) => !Object.hasOwn(NOT_OF_A_TRIAL, name)),
    ),
    registrations: trial.registrations.map((stated) => ({
      ...stated,
      registration: serializeSource(stated.registration),
    })),
    start: trial.start === null ? undefined : isoText(trial.start),
    end: isoText(trial.end),
    tokens: trial.tokens === null ? undefined : writeTokens(trial.tokens),
    signature: undefined,
  });

const trial: Parser<Trial> = (place) => {
  const fields = new Fields(place);
  const parsed: Trial = {
    id: fields.required('id', id, ''),
    version: fields.required('version', integer(1, 1_000_000), 1),
    title: fields.required('title', localizedText(MAX_LINE), ''),
    researcher: fields.required('researcher', researcher, { name: '', contact: '' }),
    information: fields.required('information', textByLanguage(MAX_TEXT), new Map<string, string>()),
    settings: fields.required('settings', trialSettings, defaultSettings),
    registrations: fields
      .optional('registrations', list(stated, { max: MAX_REGISTRATIONS }), [])
      .filter((one) => one !== null),
    start: fields.optional<Moment | null>('start', isoTime, null),
    end: fields.required('end', isoTime, moment(0)),
    tokens: fields.optional<TrialTokens | null>('tokens', trialTokens, null),
    signature: fields.optional<TrialSignature | null>('signature', signature, null),
  };
  if (parsed.start !== null && parsed.start >= parsed.end && fields.has('end'))
    place.at('end', null).error('end-before-start');
  if (parsed.tokens !== null && parsed.settings.collector === null)
    place.at('tokens', null).error('tokens-without-collector');
  // A try without a token fails, and this profile makes three within 20 minutes. The next batch may be weeks away.
  if (parsed.tokens !== null && parsed.settings.deliveryProfile === 'chrome')
    place.at('settings', null).at('deliveryProfile', null).error('tokens-given-up');
  fields.refuseUnknown();
  return parsed;
};

const id: Parser<string> = (place) => {
  const found = string(place);
  if (typeof place.value === 'string' && !/^[a-z\d][a-z\d._-]{0,63}$/.test(found)) place.expected('trial-id');
  return found;
};

const researcher: Parser<Trial['researcher']> = (place) => {
  const fields = new Fields(place);
  const parsed = {
    name: fields.required('name', text(MAX_LINE), ''),
    contact: fields.required('contact', text(MAX_LINE), ''),
  };
  fields.refuseUnknown();
  return parsed;
};

const signature: Parser<TrialSignature> = (place) => {
  const fields = new Fields(place);
  const parsed = {
    publicKey: fields.required('publicKey', base64Url(32), ''),
    value: fields.required('value', base64Url(64), ''),
  };
  fields.refuseUnknown();
  return parsed;
};

/** Null only beside an error. */
const stated: Parser<StatedRegistration | null> = (place) => {
  const fields = new Fields(place);
  const sourceType = fields.required('sourceType', choice<SourceType>('navigation', 'event'), 'navigation');
  const name = fields.required('name', localizedText(MAX_LINE), '');
  const source = sourceRegistration(sourceType, chromiumLimits);
  const registration = fields.required<SourceRegistration | null>('registration', source, null);
  fields.refuseUnknown();
  return registration === null ? null : { name, sourceType, registration };
};

const trialSettings: Parser<Settings> = (place) => {
  const fields = new Fields(place);
  for (const [name, reason] of Object.entries(NOT_OF_A_TRIAL)) {
    if (fields.has(name)) place.at(name, null).error(reason);
  }
  const parsed = settings(defaultSettings)(place);
  // Its collector gets all reports, so what one reporting site learns promises nothing.
  if (parsed.budget.joint === null) place.at('budget', null).at('joint', null).error('trial-without-joint');
  return parsed;
};
