import { IntlMessageFormat, type PrimitiveType } from 'intl-messageformat';
import type { ComponentChildren } from 'preact';
import browser from 'webextension-polyfill';
import type { LocalizedText } from '../src/model/trial';
import { textFor, type ReadText } from '../src/settings/localized-text';
import type messages from './_locales/en/messages.json';

/** Every locale has the same names as `_locales/en/messages.json`. */
export type MessageName = keyof typeof messages;

/** Renders a tag of a message: the value called `b` renders `<b>…</b>`. */
export type Draw = (parts: ComponentChildren[]) => ComponentChildren;

const formats = new Map<MessageName, IntlMessageFormat>();

/** The language of the messages: the browser's if there is a translation, else English. */
export const language = browser.i18n.getMessage('language');

const wanted = browser.i18n.getUILanguage();

/** For numbers and dates: the browser's variant of the language, such as `en-GB` for `en`. */
export const locale = wanted.split('-')[0] === language ? wanted : language;

/** What the person reads, possibly a language without a translation. */
const readersLanguage = language === 'en' ? wanted : locale;

/** The version of a third party's text in the person's language. */
export const forReader = (texts: LocalizedText): ReadText => textFor(texts, readersLanguage);

/** ICU syntax, because the browsers' own messages have neither plurals nor markup. */
function formatOf(name: MessageName): IntlMessageFormat {
  const known = formats.get(name);
  if (known !== undefined) return known;
  const format = new IntlMessageFormat(browser.i18n.getMessage(name), locale);
  formats.set(name, format);
  return format;
}

/**
 * A message as text.
 * @throws Error if a value that the message names is missing
 */
export const t = (name: MessageName, values?: Readonly<Record<string, PrimitiveType>>): string =>
  String(formatOf(name).format(values));

/** A message with elements in it: `{when}` or `<link>…</link>`. */
export const rich = (
  name: MessageName,
  values: Readonly<Record<string, ComponentChildren | Draw>>,
): ComponentChildren =>
  formatOf(name).format<ComponentChildren>(
    values as Record<string, PrimitiveType | ComponentChildren | Draw>,
  );
