import german from '../../_locales/de/checks.json';
import english from '../../_locales/en/checks.json';
import { language } from '../../i18n';
import { translator } from '../../translator';

/** What the engine's checks counted: the English sentences are what it says, those of a language what stands for them there. */
export type CheckDetails = Readonly<Record<keyof typeof english, string>>;

const translations: ReadonlyMap<string, CheckDetails> = new Map([['de', german]]);

const translation = translations.get(language);

/** What a check counted, in the reader's language. */
export const detailText: (detail: string) => string =
  translation === undefined ? (detail) => detail : translator(english, translation);
