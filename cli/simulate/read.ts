import { createHash } from 'node:crypto';
import type { Json } from '../../src/model/json';
import type { FileRow } from '../io/file-row';
import { InputError } from '../io/input';
import { readRange, type ByteRange } from '../io/log-ranges';
import { nameHash } from '../io/name-numbers';
import { rowsOfBytes } from '../io/json-rows';
import { eventReader, type PlacedEvent } from './events';
import { eventLinesOf, Progress, type UserLines } from './lines';
import type { BadLine, OnlyRead, Part, PartRead, PartTask } from './parts';
import { usersOf } from './users';

/** A part as a thread works on it. */
export interface PartContent {
  readonly users: AsyncIterable<UserLines<PlacedEvent>> | Iterable<UserLines<PlacedEvent>>;
  /** What was read, after iterating over the users. */
  readonly read: () => PartRead;
}

/** Reads a part, in a thread or to locate a mistake. Iterating over its users throws InputError for the first mistake. */
export const readPart = (part: Part, isInShard: (user: string) => boolean): PartContent =>
  part.kind === 'ranges' ? readRanges(part.ranges, isInShard) : readTexts(part.users);

function readRanges(ranges: readonly ByteRange[], isInShard: (user: string) => boolean): PartContent {
  const hash = createHash('sha256');
  const progress = new Progress();
  const names: bigint[] = [];
  const lines = eventLinesOf(
    rowsIn(ranges, (bytes) => void hash.update(bytes)),
    progress,
    isInShard,
  );
  return {
    users: named(usersOf(parsed(lines), true), names),
    read: () => ({
      digest: hash.digest('hex'),
      names: BigUint64Array.from(names),
      rows: progress.rows,
      lines: progress.lines,
      first: progress.first,
      last: progress.last,
    }),
  };
}

/** Keeps only the event of each line: for a user with many events, their JSON would take most of the memory. */
async function* parsed(
  lines: ReturnType<typeof eventLinesOf>,
): AsyncGenerator<readonly PlacedEvent[], void, undefined> {
  const placedEvent = eventReader();
  for await (const some of lines) yield some.map(({ user, place, value }) => placedEvent(user, place, value));
}

/** Notes the hash of each user's name. */
async function* named(
  users: AsyncIterable<UserLines<PlacedEvent>>,
  names: bigint[],
): AsyncGenerator<UserLines<PlacedEvent>, void, undefined> {
  for await (const user of users) {
    names.push(nameHash(user.user));
    yield user;
  }
}

async function* rowsIn(
  ranges: readonly ByteRange[],
  observe: (bytes: Uint8Array) => void,
): AsyncGenerator<readonly FileRow[], void, undefined> {
  for (const range of ranges) yield* rowsOfBytes(range.file, observed(readRange(range), observe), range.line);
}

function* observed(
  chunks: Iterable<Uint8Array>,
  observe: (bytes: Uint8Array) => void,
): Generator<Uint8Array, void, undefined> {
  for (const bytes of chunks) {
    observe(bytes);
    yield bytes;
  }
}

function readTexts(users: Extract<Part, { kind: 'users' }>['users']): PartContent {
  const hash = createHash('sha256');
  // Line breaks separate events, because an event's JSON has none.
  for (const { lines } of users) for (const { text } of lines) hash.update(`${text}\n`);
  return {
    users: parsedTexts(users),
    read: () => ({
      digest: hash.digest('hex'),
      names: new BigUint64Array(),
      rows: 0,
      lines: 0,
      first: Infinity,
      last: -Infinity,
    }),
  };
}

function* parsedTexts(
  users: Extract<Part, { kind: 'users' }>['users'],
): Generator<UserLines<PlacedEvent>, void, undefined> {
  const placedEvent = eventReader();
  for (const { user, lines } of users)
    yield {
      user,
      lines: lines.map(({ place, text }) => placedEvent(user, place, JSON.parse(text) as Json)),
    };
}

/** A thread's answer for one part. */
export async function answerFor<Result>(
  { part, isDone }: PartTask,
  isInShard: (user: string) => boolean,
  simulate: (content: PartContent) => Result | Promise<Result>,
): Promise<Result | OnlyRead | BadLine> {
  try {
    const content = readPart(part, isInShard);
    return await (isDone ? onlyRead(content) : simulate(content));
  } catch (error) {
    if (error instanceof InputError) return { kind: 'bad-line', message: error.message };
    throw error;
  }
}

async function onlyRead({ users, read }: PartContent): Promise<OnlyRead> {
  for await (const user of users) void user;
  return { kind: 'read', read: read() };
}
