import { InputError } from '../io/input';
import { NameNumbers } from '../io/name-numbers';
import { memberOf } from './sharding';
import { eventLines, mappedLines, type Progress, type RawLine, type UserLines } from './lines';
import type { LogPlan } from './log-options';
import { sortedWith } from './sort';

/** Whole users that are simulated together. */
export type Batch = readonly UserLines[];

/** A batch ends with the user who brings it to this length, so the same users are always in one batch. */
const BATCH_CHARACTERS = 1 << 18;

/**
 * Groups lines by user, in the order in which users first appear.
 * @param sorted whether the lines of a user are known to be together.
 * @throws InputError when a user appears again after another one, since they would be simulated as two.
 */
export async function* usersOf<Line extends Pick<RawLine, 'user' | 'place'>>(
  lines: AsyncIterable<readonly Line[]>,
  sorted: boolean,
): AsyncGenerator<UserLines<Line>, void, undefined> {
  const seen = new NameNumbers();
  let current: Line[] = [];
  for await (const some of lines)
    for (const line of some) {
      const [first] = current;
      if (first !== undefined && first.user === line.user) {
        current.push(line);
        continue;
      }
      if (first !== undefined) yield { user: first.user, lines: current };
      const known = seen.size;
      if (!sorted && seen.of(line.user) < known) throw comesAgain(line);
      current = [line];
    }
  const [first] = current;
  if (first !== undefined) yield { user: first.user, lines: current };
}

/** The mistake of a user's first line that follows another user's lines. */
export const comesAgain = ({ place, user }: Pick<RawLine, 'user' | 'place'>): InputError =>
  new InputError(
    `${place}: user: must have all lines together, "${user}" had others before (sort the file, or use --unsorted)`,
  );

/** Sorts each user's events by time; the sort is stable. */
export async function* inOrderOfTime(
  users: AsyncIterable<UserLines>,
): AsyncGenerator<UserLines, void, undefined> {
  for await (const { user, lines } of users)
    yield { user, lines: [...lines].sort((a, b) => a.time - b.time) };
}

/** Groups users into batches, counts their events, and leaves out repeated ones. */
export async function* batchesOf(
  users: AsyncIterable<UserLines>,
  progress: Progress,
): AsyncGenerator<Batch, void, undefined> {
  let batch: UserLines[] = [];
  let characters = 0;
  for await (const { user, lines } of users) {
    const once = withoutRepetition(lines);
    progress.users++;
    progress.repeated += lines.length - once.length;
    batch.push({ user, lines: once });
    characters += once.reduce((sum, { text }) => sum + text.length, 0);
    if (characters < BATCH_CHARACTERS) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

function withoutRepetition(lines: readonly RawLine[]): readonly RawLine[] {
  const seen = new Set<string>();
  return lines.filter(({ once }) => {
    if (once === null) return true;
    const isNew = !seen.has(once);
    seen.add(once);
    return isNew;
  });
}

/** Users with all their events, in order of time. */
export function readUsers(
  { input, mapping, unsorted, shard }: Pick<LogPlan, 'input' | 'mapping' | 'unsorted' | 'shard'>,
  progress: Progress,
): AsyncIterable<UserLines> {
  const isInShard = memberOf(shard);
  const lines: AsyncIterable<readonly RawLine[]> =
    mapping === null
      ? eventLines(input, progress, isInShard)
      : mappedLines(input, mapping, progress, isInShard);
  const users = usersOf(unsorted ? sortedWith(progress, lines) : lines, unsorted);
  // A row can describe an event that happens after the next row.
  return mapping === null ? users : inOrderOfTime(users);
}
