import { isJsonObject, type Json } from '../../src/model/json';
import { mistake } from '../../src/model/mistakes';
import { parse, type Parsed } from '../../src/parsing/issues';
import { scenarioEvent, type ScenarioEvent } from '../scenario/scenario';

/** One line of a log: an event of a scenario (docs/design.md, "Scenario files") with its user. */
export interface LogLine {
  readonly user: string;
  readonly event: ScenarioEvent;
}

/** The line's user; null unless it is an object whose `user` is a non-empty string. */
export function userOf(json: Json): string | null {
  const user = isJsonObject(json) && Object.hasOwn(json, 'user') ? json['user'] : null;
  return typeof user === 'string' && user !== '' ? user : null;
}

export function parseLogLine(json: Json): Parsed<LogLine> {
  const { user, ...registration } = isJsonObject(json) ? json : {};
  if (typeof user !== 'string' || user === '')
    return { value: null, errors: [{ ...mistake('no-user'), path: '' }], warnings: [] };
  const { value: event, errors, warnings } = parse(registration, scenarioEvent);
  return { value: event === null ? null : { user, event }, errors, warnings };
}
