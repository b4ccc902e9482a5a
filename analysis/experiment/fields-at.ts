import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';

/**
 * A copy of a document with a field changed.
 * @param path the names of the fields that lead there, with dots between them; missing objects on the way are made.
 * @param value null removes the field.
 */
export function withField(document: JsonObject, path: string, value: Json): JsonObject {
  const [name = '', ...rest] = path.split('.');
  const others = Object.fromEntries(Object.entries(document).filter(([other]) => other !== name));
  if (rest.length > 0) {
    const inner = Object.hasOwn(document, name) ? (document[name] ?? null) : null;
    return { ...others, [name]: withField(isJsonObject(inner) ? inner : {}, rest.join('.'), value) };
  }
  return value === null ? others : { ...others, [name]: value };
}
