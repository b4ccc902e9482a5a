import { isJsonObject } from '../../src/model/json';
import { shown } from '../codec/shown';
import type { LocalizedText, TextByLanguage } from './trial';
import { stringUpTo, type Parser } from '../codec/codec';
import { Fields } from '../codec/record';

const MAX_LANGUAGES = 50;

export interface ReadText {
  readonly text: string;
  /** A BCP 47 tag; null if the language is not stated. */
  readonly language: string | null;
}

export const text =
  (maxLength: number): Parser<string> =>
  (place) => {
    const found = stringUpTo(maxLength)(place);
    if (typeof place.value === 'string' && found.trim() === '' && place.value.length <= maxLength)
      place.error('empty-text', { was: shown(place.value) });
    return found.trim();
  };

export const textByLanguage =
  (maxLength: number): Parser<TextByLanguage> =>
  (place) => {
    const fields = new Fields(place);
    const languages = [...fields.names()];
    if (languages.length > MAX_LANGUAGES) place.error('too-many-languages', { max: MAX_LANGUAGES });
    if (languages.length === 0 && typeof place.value === 'object') place.error('no-language');
    for (const language of languages) {
      if (!/^[a-z]{2,3}(-[A-Za-z\d]{2,8})*$/.test(language)) place.at(language, null).error('not-a-language');
    }
    return new Map(languages.map((language) => [language, fields.required(language, text(maxLength), '')]));
  };

export const localizedText =
  (maxLength: number): Parser<LocalizedText> =>
  (place) =>
    isJsonObject(place.value) ? textByLanguage(maxLength)(place) : text(maxLength)(place);

/** The text in `language`, otherwise in a variety of it, otherwise in English, otherwise the first. */
export function textFor(texts: LocalizedText, language: string): ReadText {
  if (typeof texts === 'string') return { text: texts, language: null };
  const [base = ''] = language.split('-');
  const found = [language, base, 'en'].find((candidate) => texts.has(candidate)) ?? [...texts.keys()][0];
  return { text: texts.get(found ?? '') ?? '', language: found ?? null };
}
