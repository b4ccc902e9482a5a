import { isJsonObject, type Json, type JsonObject } from '../../src/model/json';
import { REGISTER_SOURCE } from '../../formats/registration/header';
import type { ScenarioEvent, ScenarioResponse } from '../scenario/scenario';
import { withField } from './fields-at';
import type { SourceFields } from './grid';

/** The event with an experiment's fields in the sources that it registers. A header that is not JSON stays unchanged. */
export function withSourceFields(
  event: ScenarioEvent,
  { navigation, event: ofEvent }: SourceFields,
): ScenarioEvent {
  if (event.kind !== 'request') return event;
  const fields = event.eligibility === 'navigation-source' ? navigation : ofEvent;
  return fields.size === 0
    ? event
    : { ...event, responses: event.responses.map((response) => changed(response, fields)) };
}

const changed = (response: ScenarioResponse, fields: ReadonlyMap<string, Json>): ScenarioResponse =>
  withHeader(response, REGISTER_SOURCE, (header) =>
    [...fields].reduce((json, [path, value]) => withField(json, path, value), header),
  );

/**
 * A response with one changed header. A header that is not JSON stays unchanged.
 * @param change receives the header as JSON and as it is.
 */
export function withHeader(
  response: ScenarioResponse,
  name: string,
  change: (json: JsonObject, header: string) => JsonObject,
): ScenarioResponse {
  const key = name.toLowerCase();
  const header = response.headers.get(key);
  if (header === undefined) return response;
  const json = jsonOf(header);
  if (!isJsonObject(json)) return response;
  return {
    ...response,
    headers: new Map([...response.headers, [key, JSON.stringify(change(json, header))]]),
  };
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
