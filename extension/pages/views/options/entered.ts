import { isJsonObject, type Json } from '../../../../src/model/json';
import { isGrouped } from '../../words/typed-numbers';

/* What a person entered, and what of it is stored. */

/**
 * The values that a field sent after the one that is stored now; null if the field did not send that one.
 * @param sent values as JSON, the oldest first
 */
export function sentAfter(sent: readonly string[], stored: string): readonly string[] | null {
  const index = sent.lastIndexOf(stored);
  return index < 0 ? null : sent.slice(index + 1);
}

/** A list without the lists in it that are still empty, because they mean nothing yet. */
export const withoutEmptyEntries = (value: Json): Json =>
  Array.isArray(value) ? value.filter((item: Json) => !Array.isArray(item) || item.length > 0) : value;

/** Whether a text in the value may be a number with separators between its thousands. */
export function hasGrouped(value: Json): boolean {
  if (typeof value === 'string') return isGrouped(value);
  if (Array.isArray(value)) return value.some(hasGrouped);
  return isJsonObject(value) && Object.values(value).some(hasGrouped);
}
