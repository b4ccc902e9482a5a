import { parseSource } from '../../../formats/registration/source';
import type { JsonObject } from '../../../src/model/json';
import { chromiumLimits, type SourceType } from '../../../src/model/limits';
import { epsilon as epsilonOf } from '../../../src/model/units';
import type { Configuration } from './configuration';

/** The configuration of a registration with these fields and randomized response. @throws Error unless they are valid */
export function registeredConfiguration(
  sourceType: SourceType,
  epsilon: number,
  fields: JsonObject = {},
): Configuration {
  const registration = { destination: 'https://shop.example', ...fields };
  const { value } = parseSource(registration, sourceType, chromiumLimits);
  if (value === null) throw new Error('the registration must be valid');
  return { shape: value, epsilon: epsilonOf(epsilon), mechanism: { kind: 'rr' } };
}
