import { canonical } from '../../../formats/codec/plain-json';
import { isJsonObject, type Json, type JsonObject } from '../../../src/model/json';

/** The names and indices that lead to a value. */
export type Path = readonly (string | number)[];

/** A value that differs. */
interface Difference {
  readonly path: Path;
  /** Null where there is none. */
  readonly values: readonly [before: Json, after: Json];
}

type Field = Json | undefined;
export type List = readonly Json[];

/**
 * The innermost values that differ. A list of texts, numbers and the like is one value, and so is an item that only one of two lists has.
 * Of an object that is missing on one side, each field is a value. Linear in both values for each level of nesting.
 */
export function differences(path: Path, before: Field, after: Field): readonly Difference[] {
  const there = [before, after].filter((one) => one !== undefined);
  if (there.every(isJsonObject))
    return inObjects(path, (before ?? {}) as JsonObject, (after ?? {}) as JsonObject);
  if (there.every(isList)) return inLists(path, (before ?? []) as List, (after ?? []) as List);
  return differing(path, before ?? null, after ?? null);
}

export const isList = (value: Json): value is List => Array.isArray(value);
const isPlain = (value: Json): boolean => typeof value !== 'object' || value === null;

const differing = (path: Path, before: Json, after: Json): readonly Difference[] =>
  canonical(before) === canonical(after) ? [] : [{ path, values: [before, after] }];

const ownField = (of: JsonObject, name: string): Field => (Object.hasOwn(of, name) ? of[name] : undefined);

const inObjects = (path: Path, before: JsonObject, after: JsonObject): readonly Difference[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    differences([...path, name], ownField(before, name), ownField(after, name)),
  );

function inLists(path: Path, before: List, after: List): readonly Difference[] {
  if (before.every(isPlain) && after.every(isPlain)) return differing(path, before, after);
  const { left, right, isMoved } = unmatched(before, after);
  const places = left.length > right.length ? left : right;
  const items = places.flatMap((place, n) => {
    const [one, other] = [left[n], right[n]].map((index, side) =>
      index === undefined ? undefined : (side === 0 ? before : after)[index],
    );
    const at = [...path, place];
    return one === undefined || other === undefined
      ? differing(at, one ?? null, other ?? null)
      : differences(at, one, other);
  });
  return isMoved ? [{ path, values: [before, after] }, ...items] : items;
}

interface Unmatched {
  /** The indices of the items that only one list has; an item that comes twice needs two equal ones. */
  readonly left: readonly number[];
  readonly right: readonly number[];
  /** Whether the items that both have come in another order. */
  readonly isMoved: boolean;
}

export function unmatched(before: List, after: List): Unmatched {
  // The indices of equal items, last first, so that the first of them is taken first.
  const places = new Map<string, number[]>();
  for (let index = after.length - 1; index >= 0; index--) {
    const text = canonical(after[index] ?? null);
    const equal = places.get(text);
    if (equal === undefined) places.set(text, [index]);
    else equal.push(index);
  }
  const left: number[] = [];
  const matched = new Set<number>();
  let [last, isMoved] = [-1, false];
  for (const [index, item] of before.entries()) {
    const place = places.get(canonical(item))?.pop();
    if (place === undefined) left.push(index);
    else {
      matched.add(place);
      isMoved ||= place < last;
      last = place;
    }
  }
  return { left, right: [...after.keys()].filter((index) => !matched.has(index)), isMoved };
}
