import browser from 'webextension-polyfill';
import type { LocalizedText } from '../formats/settings/trial';
import { textFor, type ReadText } from '../formats/settings/localized-text';
import { sayers } from '../ui/messages';
import type messages from './_locales/en.json';

/** Every locale has the same names as `_locales/en.json`; the build gives them the form that browsers read. */
export type MessageName = keyof typeof messages;

/** The language of the messages: the browser's if there is a translation, else English. */
export const language = browser.i18n.getMessage('language');

const wanted = browser.i18n.getUILanguage();

/** For numbers and dates: the browser's variant of the language, such as `en-GB` for `en`. */
export const locale = wanted.split('-')[0] === language ? wanted : language;

/** What the person reads, possibly a language without a translation. */
const readersLanguage = language === 'en' ? wanted : locale;

/** The version of a third party's text in the person's language. */
export const forReader = (texts: LocalizedText): ReadText => textFor(texts, readersLanguage);

/** Messages are in ICU's syntax, because the browsers' own have neither plurals nor markup. */
export const { t, rich } = sayers<MessageName>((name) => browser.i18n.getMessage(name), locale);
