import { isJsonObject, type Json } from '../../src/model/json';
import { mistake } from '../../formats/codec/mistakes';
import { originOfUrl } from '../../src/model/origin';
import { string, type Parser } from '../../formats/codec/codec';
import { Fields } from '../../formats/codec/record';
import { parse, refused, type Parsed } from '../../formats/codec/issues';
import { eventOf, type ScenarioEvent } from '../scenario/scenario';

/** One line of a log: an event of a scenario (docs/contracts.md, "Scenario files") with its user. */
export interface LogLine {
  readonly user: string;
  readonly event: ScenarioEvent;
}

/** The line's user; null unless it is an object whose `user` is a non-empty string. */
export function userOf(json: Json): string | null {
  const user = isJsonObject(json) && Object.hasOwn(json, 'user') ? json['user'] : null;
  return typeof user === 'string' && user !== '' ? user : null;
}

/** @param originOf see `eventOf`. */
export const parseLogLine = (json: Json, originOf = originOfUrl): Parsed<LogLine> =>
  userOf(json) === null ? refused(mistake('no-user')) : parse(json, logLine(originOf));

const logLine =
  (originOf: typeof originOfUrl): Parser<LogLine> =>
  (place) => {
    const fields = new Fields(place);
    const line = { user: fields.required('user', string, ''), event: eventOf(fields, originOf) };
    fields.warnUnknown();
    return line;
  };
