import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';
import { parse, type Parsed } from '../../../formats/codec/issues';
import { androidFile, androidRow } from './android';
import { har } from './har';
import type { Recorded } from './recorded-events';

/**
 * The events in a JSON value that developer tools or Google's measurement simulation wrote; null if it is none of theirs.
 * @param name of its file, as given, so that files of one name in two folders are two users. A file of one user has no other name for it.
 */
export function recordedIn(value: Json, name: string): Parsed<Recorded> | null {
  if (!isJsonObject(value) || 'user' in value) return null;
  const user = name.replace(/\.(har|json)(\.(gz|zst|zip))?$/i, '');
  if (isObjectIn(value, 'log')) return parse(value, har(user));
  if (isAndroidFile(value) || (isObjectIn(value, 'input') && isAndroidFile(value['input'] ?? null)))
    return parse(value, androidFile(user));
  const isRow = 'user_id' in value && ('enrollment_id' in value || 'action' in value);
  return isRow ? parse(value, androidRow) : null;
}

const isObjectIn = (value: JsonObject, name: string): boolean =>
  Object.hasOwn(value, name) && isJsonObject(value[name] ?? null);

const isAndroidFile = (value: Json): boolean =>
  isJsonObject(value) &&
  ['sources', 'triggers', 'web_sources', 'web_triggers'].some(
    (name) => Object.hasOwn(value, name) && Array.isArray(value[name]),
  );
