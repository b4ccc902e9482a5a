import { createReadStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createStream, makeTemporaryFolder } from '../../node/files';
import type { Progress, RawLine } from './lines';
import { linesOf } from '../../node/lines';

/** How many characters of a log are sorted in memory at once. */
const RUN_CHARACTERS = 1 << 25;
/** The memory that a line takes in addition to its text. */
const LINE_CHARACTERS = 200;
const WRITTEN_CHARACTERS = 1 << 16;
const MOST_RUNS = 64;

/** By user name (UTF-16 code units), then time, then place in the log. */
function compare(a: RawLine, b: RawLine): number {
  if (a.user !== b.user) return a.user < b.user ? -1 : 1;
  return a.time - b.time || a.sequence - b.sequence;
}

/**
 * Sorts a log of any size: sorts runs that fit into memory, puts them into temporary files, and merges these.
 * @param runCharacters the length of a run.
 */
export async function* sorted(
  lines: AsyncIterable<readonly RawLine[]>,
  runCharacters = RUN_CHARACTERS,
): AsyncGenerator<readonly RawLine[], void, undefined> {
  const folder = makeTemporaryFolder('cointoss-sort-');
  try {
    let runs = 0;
    const write = async (run: AsyncIterable<RawLine> | Iterable<RawLine>): Promise<string> => {
      const file = join(folder, String(runs++));
      await writeRun(file, run);
      return file;
    };
    let files = await writeRuns(lines, runCharacters, write);
    while (files.length > MOST_RUNS) {
      const merged = await write(merge(files.slice(0, MOST_RUNS)));
      for (const file of files.slice(0, MOST_RUNS)) rmSync(file);
      files = [...files.slice(MOST_RUNS), merged];
    }
    for await (const line of merge(files)) yield [line];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeRuns(
  lines: AsyncIterable<readonly RawLine[]>,
  runCharacters: number,
  write: (run: Iterable<RawLine>) => Promise<string>,
): Promise<string[]> {
  const files: string[] = [];
  let run: RawLine[] = [];
  let characters = 0;
  for await (const some of lines)
    for (const line of some) {
      run.push(line);
      characters += line.text.length + LINE_CHARACTERS;
      if (characters < runCharacters) continue;
      files.push(await write(run.sort(compare)));
      run = [];
      characters = 0;
    }
  if (run.length > 0) files.push(await write(run.sort(compare)));
  return files;
}

const writeRun = (file: string, run: AsyncIterable<RawLine> | Iterable<RawLine>): Promise<void> =>
  pipeline(serialized(run), createStream(file));

/** An event's line of JSON stays as it is, on a line below what it is sorted by: JSON within JSON would be read twice. */
async function* serialized(
  run: AsyncIterable<RawLine> | Iterable<RawLine>,
): AsyncGenerator<string, void, undefined> {
  let text = '';
  for await (const line of run) {
    const { user, time, place, sequence, once, text: event } = line;
    text += `${JSON.stringify({ user, time, place, sequence, once } satisfies Omit<RawLine, 'text'>)}\n${event}\n`;
    if (text.length < WRITTEN_CHARACTERS) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Places are added to lines, so these may be longer. */
async function* readRun(file: string): AsyncGenerator<RawLine, void, undefined> {
  let above: Omit<RawLine, 'text'> | null = null;
  for await (const lines of linesOf(createReadStream(file), { longest: Infinity }))
    for (const { value } of lines) {
      if (above === null) {
        above = JSON.parse(value) as Omit<RawLine, 'text'>;
        continue;
      }
      yield { ...above, text: value };
      above = null;
    }
}

/** A run during the merge, and its next line. */
interface Head {
  readonly run: AsyncGenerator<RawLine, void, undefined>;
  line: RawLine;
}

/** Sorts a log, and counts the events that go in and come out. */
export async function* sortedWith(
  progress: Progress,
  lines: AsyncIterable<readonly RawLine[]>,
): AsyncGenerator<readonly RawLine[], void, undefined> {
  for await (const some of sorted(countedInto(progress, lines))) {
    progress.sorted += some.length;
    yield some;
  }
}

async function* countedInto(
  progress: Progress,
  lines: AsyncIterable<readonly RawLine[]>,
): AsyncGenerator<readonly RawLine[], void, undefined> {
  for await (const some of lines) {
    progress.unsorted += some.length;
    yield some;
  }
}

async function* merge(files: readonly string[]): AsyncGenerator<RawLine, void, undefined> {
  const heads: Head[] = [];
  for (const run of files.map(readRun)) {
    const first = await run.next();
    if (first.done !== true) heads.push({ run, line: first.value });
  }
  heads.sort((a, b) => compare(a.line, b.line));
  for (;;) {
    const head = heads.shift();
    if (head === undefined) return;
    yield head.line;
    const next = await head.run.next();
    if (next.done === true) continue;
    head.line = next.value;
    // A linear search is enough: runs are few, and a nearly sorted log keeps taking from the same run.
    const place = heads.findIndex(({ line }) => compare(head.line, line) <= 0);
    heads.splice(place < 0 ? heads.length : place, 0, head);
  }
}
