import { canonical } from '../../../formats/codec/plain-json';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';

/** A value that differs. */
interface Difference {
  /** As errors name places: `rules[1].selector`. */
  readonly path: string;
  /** Null where there is none. */
  readonly values: readonly [before: Json, after: Json];
}

type Field = Json | undefined;

/**
 * The innermost values that differ. An item that only one of two lists has is one value. Of an object that is missing on one side, each field
 * is a value.
 */
export function differences(path: string, before: Field, after: Field): readonly Difference[] {
  const there = [before, after].filter((one) => one !== undefined);
  if (there.every(isJsonObject))
    return inObjects(path, (before ?? {}) as JsonObject, (after ?? {}) as JsonObject);
  if (there.every(isList)) return inLists(path, (before ?? []) as List, (after ?? []) as List);
  return differing(path, before ?? null, after ?? null);
}

type List = readonly Json[];
const isList = (value: Json): value is List => Array.isArray(value);

const differing = (path: string, before: Json, after: Json): readonly Difference[] =>
  canonical(before) === canonical(after) ? [] : [{ path, values: [before, after] }];

const inObjects = (path: string, before: JsonObject, after: JsonObject): readonly Difference[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    differences(path === '' ? name : `${path}.${name}`, before[name], after[name]),
  );

const inLists = (path: string, before: List, after: List): readonly Difference[] =>
  Array.from({ length: Math.max(before.length, after.length) }, (_, index) => {
    const [place, one, other] = [`${path}[${index}]`, before[index], after[index]];
    return one === undefined || other === undefined
      ? differing(place, one ?? null, other ?? null)
      : differences(place, one, other);
  }).flat();
