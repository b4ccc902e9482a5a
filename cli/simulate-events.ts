import type { Json } from '../src/model/json';
import type { RandomSource } from '../src/privacy/random-source';
import { english } from '../words/english';
import type { ScenarioEvent } from '../analysis/scenario/scenario';
import { parseLogLine } from '../analysis/simulation/log-line';
import type { Tally } from '../analysis/simulation/tally';
import { LogError } from '../analysis/simulation/user';
import { InputError } from './input';
import { randomFor } from './random';
import type { UserLines } from './simulate-users';

/** An event of the log, before its registrations are parsed. */
export interface PlacedEvent {
  /** Its file and line, for messages. */
  readonly place: string;
  readonly value: Json;
}

/**
 * Counts warnings.
 * @throws InputError for the first line that is no event.
 */
export const parseLines = ({ lines }: UserLines<PlacedEvent>, tally: Tally): readonly ScenarioEvent[] =>
  lines.map((line) => parseLine(line, tally));

function parseLine(line: PlacedEvent, tally: Tally): ScenarioEvent {
  const { value, errors, warnings } = parseLogLine(line.value);
  for (const warning of warnings) tally.add('warnings', english.issueText(warning));
  if (value !== null) return value.event;
  throw new InputError(`${line.place}: ${errors.slice(0, 1).map(english.issueText).join()}`);
}

/** For a LogError, an InputError with the place of the event's line; other errors as they are. */
export const withPlace = (error: unknown, { lines }: UserLines<PlacedEvent>): unknown =>
  error instanceof LogError
    ? new InputError(`${lines[error.event]?.place ?? ''}: ${error.path}: ${error.message}`)
    : error;

/**
 * The seed and the user's name decide the user's randomness, so results do not depend on other users.
 * @param seed null for the system's randomness.
 */
export function randomOfUser(seed: string | null): (user: string) => (stream: number) => RandomSource {
  const system = randomFor(undefined);
  return (user) => (seed === null ? system : randomFor(JSON.stringify([seed, user])));
}
