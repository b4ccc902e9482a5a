import { IntlMessageFormat, type PrimitiveType } from 'intl-messageformat';
import type { ComponentChildren } from 'preact';

/** Renders a tag of a message: the value called `b` renders `<b>…</b>`. */
export type Draw = (parts: ComponentChildren[]) => ComponentChildren;

export interface Sayers<Id extends string> {
  /**
   * A message as text.
   * @throws Error if a value that the message names is missing
   */
  readonly t: (id: Id, values?: Readonly<Record<string, PrimitiveType>>) => string;
  /** A message with elements in it: `{when}` or `<link>…</link>`. */
  readonly rich: (id: Id, values: Readonly<Record<string, ComponentChildren | Draw>>) => ComponentChildren;
}

type Format = Pick<IntlMessageFormat, 'format'>;

/** Whether nothing in the text has a meaning in ICU's syntax. Most texts are plain, and a page shows hundreds of them before it can be used. */
const isPlain = (text: string): boolean => !/[{}<>]|''/.test(text);

/** Makes functions that format messages in ICU's syntax, which has plurals and markup. */
export function sayers<Id extends string>(messageOf: (id: Id) => string, locale: string): Sayers<Id> {
  const formats = new Map<Id, Format>();
  const formatOf = (id: Id): Format => {
    const known = formats.get(id);
    if (known !== undefined) return known;
    const text = messageOf(id);
    const format = isPlain(text) ? { format: () => text } : new IntlMessageFormat(text, locale);
    formats.set(id, format);
    return format;
  };
  return {
    t: (id, values) => String(formatOf(id).format(values)),
    rich: (id, values) =>
      formatOf(id).format<ComponentChildren>(
        values as Record<string, PrimitiveType | ComponentChildren | Draw>,
      ),
  };
}
