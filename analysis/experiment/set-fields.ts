import { isJsonObject, type Json } from '../../src/model/json';
import type { ScenarioEvent, ScenarioResponse } from '../scenario/scenario';
import { withField } from './fields-at';
import type { SourceFields } from './grid';

const HEADER = 'attribution-reporting-register-source';

/** The event with the fields of an experiment in the sources that it registers. A header that is no JSON stays. */
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

function changed(response: ScenarioResponse, fields: ReadonlyMap<string, Json>): ScenarioResponse {
  const header = response.headers.get(HEADER);
  if (header === undefined) return response;
  let json = jsonOf(header);
  if (!isJsonObject(json)) return response;
  for (const [path, value] of fields) json = withField(json, path, value);
  return { ...response, headers: new Map([...response.headers, [HEADER, JSON.stringify(json)]]) };
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
