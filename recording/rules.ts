import type { Json } from '../src/model/json';
import type { SourceType } from '../src/model/limits';
import type { Extractor, RecordingRule } from './recording-rule';
import { list, choice, orNull, string, stringUpTo, type Parser } from '../formats/codec/codec';
import { Fields } from '../formats/codec/record';
import { originOfUrl } from '../src/model/origin';
import { parseMatchPattern } from './match-pattern';
import { EXTRACT, readableField, replaceExtractors } from './readings';

export const recordingRule: Parser<RecordingRule> = (place) => {
  const fields = new Fields(place);
  const on = fields.required('on', choice('viewable', 'click', 'visit', 'submit'), 'visit');
  const register = fields.required('register', choice('source', 'trigger'), 'source');
  const rule: RecordingRule = {
    id: fields.required('id', stringUpTo(100), ''),
    matches: fields.required('matches', list(matchPattern, { min: 1 }), []),
    selector: fields.optional<string | null>('selector', orNull(stringUpTo(1000)), null),
    on,
    register,
    reportingOrigin: fields.required('reportingOrigin', reportingOrigin, ''),
    registration: fields.required<Json>('registration', template(register, []), null),
  };
  const { selector = null } = fields.verbatim(['selector']);
  if (selector === null && on !== 'visit') place.error('missing-selector', { on });
  fields.warnUnknown();
  return rule;
};

/** What a rule that registers a source will register. */
export const sourceTypeOf = ({ on }: Pick<RecordingRule, 'on'>): SourceType =>
  on === 'click' ? 'navigation' : 'event';

const matchPattern: Parser<string> = (place) => {
  const pattern = stringUpTo(1000)(place);
  if (parseMatchPattern(pattern) === null) place.expected('match-pattern');
  return pattern;
};

const reportingOrigin: Parser<string> = (place) => {
  const origin = originOfUrl(string(place));
  if (origin === null) place.expected('origin');
  return origin ?? '';
};

/** Checks the extractors only; the values that they find are checked when the registration is parsed. */
const template =
  (register: RecordingRule['register'], path: readonly string[]): Parser<Json> =>
  (place) => {
    const { value } = place;
    if (Array.isArray(value)) list(template(register, path))(place);
    else if (typeof value === 'object' && value !== null) {
      const fields = new Fields(place);
      if (fields.has(EXTRACT)) fields.required(EXTRACT, extractorAt(register, path), null);
      else
        for (const name of fields.names())
          fields.optional<Json>(name, template(register, [...path, name]), null);
    }
    return value;
  };

const extractorAt =
  (register: RecordingRule['register'], path: readonly string[]): Parser<null> =>
  (place) => {
    const readable = readableField(register, path);
    if (readable === null) {
      place.error('unreadable-field');
      return null;
    }
    const fields = new Fields(place);
    fields.optional('selector', orNull(stringUpTo(1000)), null);
    fields.optional('attribute', orNull(stringUpTo(100)), null);
    const kind = choice(...readable.as);
    if (readable.as.includes('text')) fields.optional('as', kind, null);
    else fields.required('as', kind, null);
    fields.warnUnknown();
    return null;
  };

/** Replaces each extractor by its value, or by null if it was not found, does not parse or is above 2^53. */
export function fillIn(registration: Json, values: readonly (string | null)[]): Json {
  let position = 0;
  return replaceExtractors(registration, ({ as }) => {
    const raw = values[position++] ?? null;
    return raw === null ? null : convert(raw.trim(), as);
  });
}

function convert(text: string, as: Extractor['as']): Json {
  switch (as) {
    case 'text':
      return text;
    case 'integer':
      return integerIn(text);
    case 'money':
      return centsIn(text);
    case 'origin':
      return originOfUrl(text);
  }
}

/** Digits with single separators; white space only before groups of three, so "12, 3" is two numbers. */
const number = /\d+(?:[.,'\u2019]\d+|\s\d{3}(?!\d))*/;

/**
 * The first number of a text, as whole part and fraction. The last separator is the decimal one if one or two digits follow it:
 * "€ 1.234,50", "1,234.50 USD", "1234.5".
 */
function numberIn(text: string): { whole: number; fraction: string } | null {
  const digits = number.exec(text)?.[0];
  if (digits === undefined) return null;
  const [, whole = digits, fraction = ''] = /^(.*)[.,](\d{1,2})$/.exec(digits) ?? [];
  return { whole: Number(whole.replace(/\D/g, '')), fraction };
}

/** The first number of a text without its fraction: "1,204 points" gives 1204. */
const integerIn = (text: string): number | null => safe(numberIn(text)?.whole);

function centsIn(text: string): number | null {
  const amount = numberIn(text);
  return amount === null ? null : safe(amount.whole * 100 + Number(amount.fraction.padEnd(2, '0')));
}

const safe = (value: number | undefined): number | null =>
  Number.isSafeInteger(value) ? (value ?? null) : null;
