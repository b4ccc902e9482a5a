import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import type { Json, JsonObject } from '../../../src/model/json';
import type { SourceRegistration, TriggerRegistration } from '../../../src/model/registration';
import type { Parsed } from '../../../formats/codec/issues';
import { parseSource } from '../../../formats/registration/source';
import { english } from '../../../words/english';
import { parseTrigger } from '../../../formats/registration/trigger';

export const DESTINATION = 'https://shop.example';

export const parsedSource = (
  fields: JsonObject,
  sourceType: SourceType = 'navigation',
): Parsed<SourceRegistration> =>
  parseSource({ destination: DESTINATION, ...fields }, sourceType, chromiumLimits);

export const parsedTrigger = (fields: JsonObject): Parsed<TriggerRegistration> =>
  parseTrigger(fields, chromiumLimits);

/** The value of a registration that must be accepted without warnings. */
export function accepted<T>(parsed: Parsed<T>): T {
  expect(parsed.errors).toEqual([]);
  expect(parsed.warnings).toEqual([]);
  if (parsed.value === null) throw new Error('accepted, but without a value');
  return parsed.value;
}

/** The value of a registration that must be accepted, with whatever warnings. */
export const acceptedAnyway = <T>(parsed: Parsed<T>): T => accepted({ ...parsed, warnings: [] });

/** Asserts that a registration is refused for this single reason. */
export function expectRefused(parsed: Parsed<unknown>, path: string, message: string): void {
  expect(parsed.value).toBeNull();
  expect(parsed.errors.map(english.worded)).toEqual([
    { path, message: expect.stringContaining(message) as string },
  ]);
  expect(parsed.warnings).toEqual([]);
}

/** Asserts that a registration is accepted with this single warning, and returns its value. */
export function acceptedWithWarning<T>(parsed: Parsed<T>, path: string, message: string): T {
  expect(parsed.errors).toEqual([]);
  expect(parsed.warnings.map(english.worded)).toEqual([
    { path, message: expect.stringContaining(message) as string },
  ]);
  if (parsed.value === null) throw new Error('accepted, but without a value');
  return parsed.value;
}

/** Names that every plain object inherits. */
export const TRAPS = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

/** An object with one field of any name; a literal cannot have a field "__proto__". */
export const objectWith = (name: string, value: Json): JsonObject =>
  JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`) as JsonObject;

/** Values of every other type, for a field that only accepts `kinds`. */
export function wrongTypes(...kinds: ('string' | 'number' | 'boolean' | 'list' | 'object')[]): Json[] {
  const samples: [string, Json][] = [
    ['null', null],
    ['string', 'x'],
    ['number', 1],
    ['boolean', true],
    ['list', []],
    ['object', {}],
  ];
  return samples.filter(([kind]) => !(kinds as string[]).includes(kind)).map(([, sample]) => sample);
}
