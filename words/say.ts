import { IntlMessageFormat } from 'intl-messageformat';

/** The values of a fact: everything that a message may name. They are JSON, so that facts can be stored, exported and sent. */
export type Values = Readonly<Record<string, string | number>>;

/** Puts facts into the words of one language. */
export type Say<Id extends string> = (id: Id, values: Values) => string;

/**
 * Makes the function that puts facts into one language.
 * @param messages in ICU's message syntax, by id. Tags have no meaning in them.
 * @throws RangeError, when it formats a message that names a missing value.
 */
export function sayer<Id extends string>(language: string, messages: Readonly<Record<Id, string>>): Say<Id> {
  const formats = new Map<Id, IntlMessageFormat>();
  return (id, values) => {
    let format = formats.get(id);
    if (format === undefined) {
      format = new IntlMessageFormat(messages[id], language, undefined, { ignoreTag: true });
      formats.set(id, format);
    }
    return String(format.format(values));
  };
}
