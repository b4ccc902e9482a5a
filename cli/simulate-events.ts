import type { Json } from '../src/model/json';
import type { RandomSource } from '../src/privacy/random-source';
import { english } from '../words/english';
import type { ScenarioEvent } from '../analysis/scenario/scenario';
import { parseLogLine } from '../analysis/simulation/log-line';
import type { Tally } from '../analysis/simulation/tally';
import { LogError } from '../analysis/simulation/user';
import { randomFor } from './random';
import type { RawLine } from './simulate-lines';
import type { UserLines } from './simulate-users';

/** A mistake in a line of the log, with its place. */
export class LineError extends Error {}

/**
 * Counts warnings.
 * @throws LineError for the first line that is no event.
 */
export const parseLines = ({ lines }: UserLines, tally: Tally): readonly ScenarioEvent[] =>
  lines.map((line) => parseLine(line, tally));

function parseLine({ text, place }: RawLine, tally: Tally): ScenarioEvent {
  const { value, errors, warnings } = parseLogLine(JSON.parse(text) as Json);
  for (const warning of warnings) tally.add('warnings', english.issueText(warning));
  if (value !== null) return value.event;
  throw new LineError(`${place}: ${errors.slice(0, 1).map(english.issueText).join()}`);
}

/** For a LogError, a LineError with the place of the event's line; other errors as they are. */
export const withPlace = (error: unknown, { lines }: UserLines): unknown =>
  error instanceof LogError
    ? new LineError(`${lines[error.event]?.place ?? ''}: ${error.path}: ${error.message}`)
    : error;

/**
 * The seed and the user's name decide the user's randomness, so results do not depend on other users.
 * @param seed null for the system's randomness.
 */
export function randomOfUser(seed: string | null): (user: string) => (stream: number) => RandomSource {
  const system = randomFor(undefined);
  return (user) => (seed === null ? system : randomFor(JSON.stringify([seed, user])));
}
