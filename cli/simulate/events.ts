import type { Json } from '../../src/model/json';
import type { Issue } from '../../formats/codec/mistakes';
import { originOfUrl } from '../../src/model/origin';
import { remembered } from '../../src/model/remembered';
import type { RandomSource } from '../../src/privacy/random-source';
import { english } from '../../words/english';
import type { RandomUse } from '../../analysis/random/sources';
import type { ScenarioEvent } from '../../analysis/scenario/scenario';
import { parseLogLine } from '../../analysis/simulation/log-line';
import type { OutcomeCounter } from '../../analysis/simulation/outcome-counter';
import { LogError } from '../../analysis/simulation/log-error';
import { InputError } from '../io/input';
import { randomFor } from '../io/random';
import type { UserLines } from './lines';

/** An event of the log. */
export interface PlacedEvent {
  readonly user: string;
  /** Its file and line, for messages. */
  readonly place: string;
  readonly event: ScenarioEvent;
  readonly warnings: readonly Issue[];
}

/**
 * Reads the lines of a part, and remembers the origins in it.
 * @returns throws InputError for a line that is not an event.
 */
export function eventReader(): (user: string, place: string, json: Json) => PlacedEvent {
  const originOf = remembered(originOfUrl, (url) => url);
  return (user, place, json) => {
    const { value, errors, warnings } = parseLogLine(json, originOf);
    if (value !== null) return { user, place, event: value.event, warnings };
    throw new InputError(`${place}: ${errors.slice(0, 1).map(english.issueText).join()}`);
  };
}

/** A user's events. Counts their warnings. */
export const eventsOf = (
  { lines }: UserLines<PlacedEvent>,
  tally: OutcomeCounter,
): readonly ScenarioEvent[] =>
  lines.map(({ event, warnings }) => {
    for (const warning of warnings) tally.add('warnings', english.issueText(warning));
    return event;
  });

/** Converts a LogError to an InputError with the place of the event's line; other errors stay unchanged. */
export const withPlace = (error: unknown, { lines }: UserLines<PlacedEvent>): unknown =>
  error instanceof LogError
    ? new InputError(`${lines[error.event]?.place ?? ''}: ${error.path}: ${error.message}`)
    : error;

/**
 * The seed and the user's name decide the user's randomness, so results do not depend on other users.
 * @param seed null for the system's randomness.
 */
export function randomOfUser(
  seed: string | null,
  use?: RandomUse,
): (user: string) => (stream: number) => RandomSource {
  const system = randomFor(undefined);
  return (user) => (seed === null ? system : randomFor(JSON.stringify([seed, user]), use));
}
