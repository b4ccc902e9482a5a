import { toJson, type Json } from '../model/json';
import { defaultSettings, type Settings } from '../model/settings';
import type { Trial } from '../model/trial';
import { moment, type Moment } from '../model/units';
import { Fields, integer, string, type Parser } from '../registration/fields';
import { parse, strictly, type Parsed } from '../registration/issues';
import { isoText, isoTime } from './iso-time';
import { settings } from './parse-settings';

const MAX_LINE = 200;
const MAX_TEXT = 20_000;
const MAX_LANGUAGES = 50;

/** What belongs to the person, or to a developer, and so to no trial. */
const NOT_OF_A_TRIAL = {
  debug: 'must not be in a trial: its noise, delay and clock are always the real ones',
  paused: 'must not be in a trial: whether to pause is for who takes part to say',
  pausedSites: 'must not be in a trial: whether to pause is for who takes part to say',
};

/**
 * Reads the configuration of a trial. A field that is not known is an error: a person must not agree to something that is not
 * done.
 */
export const parseTrial = (document: Json): Parsed<Trial> => strictly(parse(document, trial));

/** The configuration with nothing left to defaults; `parseTrial` reads the same trial from it. */
export const serializeTrial = (trial: Trial): Json =>
  toJson({
    ...trial,
    settings: Object.fromEntries(
      Object.entries(trial.settings).filter(([name]) => !Object.hasOwn(NOT_OF_A_TRIAL, name)),
    ),
    start: trial.start === null ? undefined : isoText(trial.start),
    end: isoText(trial.end),
  });

const trial: Parser<Trial> = (place) => {
  const fields = new Fields(place);
  const parsed: Trial = {
    id: fields.required('id', id, ''),
    consentVersion: fields.required('consentVersion', integer(1, 1_000_000), 1),
    title: fields.required('title', text(MAX_LINE), ''),
    researcher: fields.required('researcher', researcher, { name: '', contact: '' }),
    information: fields.required('information', information, new Map<string, string>()),
    settings: fields.required('settings', trialSettings, defaultSettings),
    start: fields.optional<Moment | null>('start', isoTime, null),
    end: fields.required('end', isoTime, moment(0)),
  };
  if (parsed.start !== null && parsed.start >= parsed.end && fields.has('end'))
    place.at('end', null).error('must be later than start');
  fields.refuseUnknown();
  return parsed;
};

const id: Parser<string> = (place) => {
  const found = string()(place);
  if (typeof place.value === 'string' && !/^[a-z\d][a-z\d._-]{0,63}$/.test(found))
    place.expected(
      'a name of up to 64 of the characters a-z, 0-9, ".", "_" and "-", such as "ad-recall-2027"',
    );
  return found;
};

/** Text that is not empty. */
const text =
  (maxLength: number): Parser<string> =>
  (place) => {
    const found = string(maxLength)(place);
    if (typeof place.value === 'string' && found.trim() === '' && place.value.length <= maxLength)
      place.expected('a text that is not empty');
    return found.trim();
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

const information: Parser<Trial['information']> = (place) => {
  const fields = new Fields(place);
  const languages = [...fields.names()];
  if (languages.length > MAX_LANGUAGES) place.error(`must have at most ${MAX_LANGUAGES} languages`);
  if (languages.length === 0 && typeof place.value === 'object')
    place.error('must have a text in one language at least, such as {"en": "…"}');
  for (const language of languages) {
    if (!/^[a-z]{2,3}(-[A-Za-z\d]{2,8})*$/.test(language))
      place.at(language, null).error('must be the tag of a language, such as "en" or "pt-BR"');
  }
  return new Map(languages.map((language) => [language, fields.required(language, text(MAX_TEXT), '')]));
};

const trialSettings: Parser<Settings> = (place) => {
  const fields = new Fields(place);
  for (const [name, reason] of Object.entries(NOT_OF_A_TRIAL)) {
    if (fields.has(name)) place.at(name, null).error(reason);
  }
  return settings(defaultSettings)(place);
};

/** The text for a person who reads `language`: in it, in its variety, in English, or in the first there is. */
export function informationIn(information: Trial['information'], language: string): string {
  const [base = ''] = language.split('-');
  const found = [language, base, 'en'].find((candidate) => information.has(candidate));
  return information.get(found ?? '') ?? [...information.values()][0] ?? '';
}
