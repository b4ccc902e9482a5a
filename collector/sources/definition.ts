import type { Mechanism } from '../../analysis/estimate/quantities/configuration';
import type { SourceType } from '../../src/model/limits';
import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { parse } from '../../formats/codec/issues';
import { plain, string, type Codec } from '../../formats/codec/codec';
import { record, required } from '../../formats/codec/record';
import { sourceType } from '../../formats/reports/event-level-report';
import { mechanism } from '../../formats/settings/mechanism';

/** What determines the noise of a source, apart from its sites and ids. */
export interface Definition {
  readonly source_type: SourceType;
  /** With every default explicit; `event_level_epsilon` is the ε in effect. */
  readonly registration: JsonObject;
  readonly mechanism: Mechanism;
  /** The number of outputs of the mechanism, in decimal. */
  readonly k: string;
}

export interface IdentifiedConfiguration {
  /** SHA-256 of the definition: the same in every store. */
  readonly id: string;
  readonly definition: Definition;
}

const object: Codec<JsonObject> = plain(
  (place) => {
    if (isJsonObject(place.value)) return place.value;
    place.expected('object');
    return {};
  },
  { type: 'object' },
);

export const definition: Codec<Definition> = record<Definition>({
  source_type: required('source_type', sourceType),
  registration: required('registration', object),
  mechanism: required('mechanism', mechanism),
  k: required('k', string),
});

/** Reads a definition as it was stored. */
export function storedDefinition(stored: string): Definition {
  const { value, errors } = parse(JSON.parse(stored) as Json, definition);
  if (value === null) throw new Error(`a stored configuration is not valid: ${JSON.stringify(errors[0])}`);
  return value;
}
