import { createHash } from 'node:crypto';
import type { Json } from '../src/model/json';
import type { FileRow } from './file-row';
import { InputError } from './input';
import { readRange, type ByteRange } from './log-ranges';
import { nameHash } from './name-numbers';
import { rowsOfBytes } from './rows';
import type { PlacedEvent } from './simulate-events';
import { eventLinesOf, Progress } from './simulate-lines';
import type { BadLine, OnlyRead, Part, PartRead, PartTask } from './simulate-parts';
import { usersOf, type UserLines } from './simulate-users';

/** A part as a thread works on it. */
export interface PartContent {
  readonly users: readonly UserLines<PlacedEvent>[];
  readonly read: PartRead;
}

/** Reads a part, in a thread or to say what is wrong with it. @throws InputError */
export const readPart = (
  part: Part,
  isInShard: (user: string) => boolean,
): PartContent | Promise<PartContent> =>
  part.kind === 'ranges' ? readRanges(part.ranges, isInShard) : readTexts(part.users);

async function readRanges(
  ranges: readonly ByteRange[],
  isInShard: (user: string) => boolean,
): Promise<PartContent> {
  const hash = createHash('sha256');
  const progress = new Progress();
  const users: UserLines<PlacedEvent>[] = [];
  const lines = eventLinesOf(
    rowsIn(ranges, (bytes) => void hash.update(bytes)),
    progress,
    isInShard,
  );
  for await (const user of usersOf(lines, true)) users.push(user);
  const names = BigUint64Array.from(users, ({ user }) => nameHash(user));
  return {
    users,
    read: { digest: hash.digest('hex'), names, rows: progress.rows, lines: progress.lines },
  };
}

async function* rowsIn(
  ranges: readonly ByteRange[],
  observe: (bytes: Uint8Array) => void,
): AsyncGenerator<readonly FileRow[], void, undefined> {
  for (const range of ranges) {
    const bytes = readRange(range);
    observe(bytes);
    yield* rowsOfBytes(range.file, bytes, range.line);
  }
}

function readTexts(users: Extract<Part, { kind: 'users' }>['users']): PartContent {
  const hash = createHash('sha256');
  // Line breaks separate events, because an event's JSON has none.
  for (const { lines } of users) for (const { text } of lines) hash.update(`${text}\n`);
  return {
    users: users.map(({ user, lines }) => ({
      user,
      lines: lines.map(({ place, text }) => ({ place, value: JSON.parse(text) as Json })),
    })),
    read: { digest: hash.digest('hex'), names: new BigUint64Array(), rows: 0, lines: 0 },
  };
}

/** A thread's answer for one part. */
export async function answerFor<Result>(
  { part, isDone }: PartTask,
  isInShard: (user: string) => boolean,
  simulate: (content: PartContent) => Result | Promise<Result>,
): Promise<Result | OnlyRead | BadLine> {
  try {
    const content = await readPart(part, isInShard);
    return isDone ? { kind: 'read', read: content.read } : await simulate(content);
  } catch (error) {
    if (error instanceof InputError) return { kind: 'bad-line', message: error.message };
    throw error;
  }
}
