/** Stands in for `webextension-polyfill` on the site: only messages, in the language that `speak` was given. */

type Messages = Readonly<Record<string, string>>;

let messages: Messages = {};
let locale = 'en';

/**
 * Must be called before the first module that shows words is loaded.
 * @param wanted the person's variant of the language, such as `en-GB`
 */
export function speak(table: Messages, wanted: string): void {
  messages = table;
  locale = wanted;
}

export default {
  i18n: {
    getUILanguage: (): string => locale,
    getMessage: (name: string): string => messages[name] ?? '',
  },
};
