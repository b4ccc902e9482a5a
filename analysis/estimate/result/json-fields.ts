import { codec, integer, plain, type Codec } from '../../../formats/codec/codec';
import { Fields } from '../../../formats/codec/record';
import { ISO_TIME } from '../../../formats/codec/time';

export const count = integer(0, Number.MAX_SAFE_INTEGER);

/** Values by names that anyone may choose. */
export const byName = <T>(of: Codec<T>): Codec<Readonly<Record<string, T>>> =>
  codec(
    (place) => {
      const fields = new Fields(place);
      const read = [...fields.names()].map((name) => [name, fields.required<T | null>(name, of, null)]);
      return Object.fromEntries(read) as Record<string, T>; // every name is present
    },
    (values) => Object.fromEntries(Object.entries(values).map(([name, value]) => [name, of.write(value)])),
    { type: 'object', additionalProperties: of.schema },
  );

export const groupNames = (
  group: readonly string[],
  groupBy: readonly string[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(group.map((value, index) => [groupBy[index] ?? '', value]));

export const isoTime: Codec<string> = plain(
  (place) => {
    if (typeof place.value === 'string' && ISO_TIME.test(place.value)) return place.value;
    place.expected('time');
    return '';
  },
  { type: 'string', pattern: ISO_TIME.source },
);
