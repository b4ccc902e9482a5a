import { IntlMessageFormat, type PrimitiveType } from 'intl-messageformat';
import type { ComponentChildren } from 'preact';
import browser from 'webextension-polyfill';
import type { LocalizedText } from '../src/model/trial';
import { textFor, type ReadText } from '../src/settings/localized-text';
import type messages from './_locales/en/messages.json';

/** Of `_locales/en/messages.json`; every locale has the same. */
export type MessageName = keyof typeof messages;

/** What stands for a tag of a message: `<b>…</b>` is drawn by the value called `b`. */
export type Draw = (parts: ComponentChildren[]) => ComponentChildren;

const formats = new Map<MessageName, IntlMessageFormat>();

/** The language of the messages, which is the browser's only if there is a translation. */
export const language = browser.i18n.getMessage('language');

const wanted = browser.i18n.getUILanguage();

/** For numbers and dates: the browser's own variety of the language, `en-GB` for `en`. */
export const locale = wanted.split('-')[0] === language ? wanted : language;

/** What the person reads: perhaps a language into which these messages are not translated. */
const readersLanguage = language === 'en' ? wanted : locale;

/** A text of others as the person reads it. */
export const forReader = (texts: LocalizedText): ReadText => textFor(texts, readersLanguage);

/** ICU's message syntax, as browsers themselves know neither plurals nor markup in messages. */
function formatOf(name: MessageName): IntlMessageFormat {
  const known = formats.get(name);
  if (known !== undefined) return known;
  const format = new IntlMessageFormat(browser.i18n.getMessage(name), locale);
  formats.set(name, format);
  return format;
}

/** A message as text. Throws if a value that it names is missing. */
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
