import { closeSync, readSync } from 'node:fs';
import { openToRead } from '../../node/files';
import { LONGEST_ROW } from '../../node/lines';
import type { Json } from '../../src/model/json';
import { userOf } from '../../analysis/simulation/log-line';
import type { ByteSource } from './byte-source';
import { columnsOfPath } from './file-row';
import { InputError } from './input';
import { formOf } from './text-form';

/** A range of bytes of a file that begins and ends with a line. */
export interface ByteRange {
  readonly file: string;
  readonly start: number;
  /** The first byte after them. */
  readonly end: number;
  /** The number of the first line in the file, from 1. It is counted only for messages, and otherwise 1. */
  readonly line: number;
}

/** The requirements for a file of known size that is read in parts. */
export type SizedFile = Pick<ByteSource, 'file'> & { readonly size: number };

/** A part ends with the user whose lines bring it to this length, so it does not depend on the number of threads. */
const PART_BYTES = 1 << 18;
const LOOK_BYTES = 1 << 14;
/** A character has up to four bytes. */
const LONGEST_LINE = 4 * LONGEST_ROW;
const NEWLINE = 0x0a;

/** How other programs' files begin: they name their users otherwise, and one of their lines can be many events. */
const THEIRS = /^\s*\{\s*"(log|input|description|(web_)?(sources|triggers))"\s*:|"user_id"\s*:/;

/** Whether a log is text that is too short for a second part. */
export const isOnePart = (files: readonly ByteSource[]): boolean =>
  files.every(({ content }) => content === 'text') &&
  files.reduce((sum, { size }) => sum + (size ?? Infinity), 0) <= PART_BYTES;

/** The files, if each is a log of events that can be read from any byte; otherwise null. */
export const filesToCut = (files: readonly ByteSource[]): readonly SizedFile[] | null =>
  files.some(({ beginning }) => THEIRS.test(beginning)) ? null : filesOfLines(files);

/** The files, if each is JSON as lines that is not packed; otherwise null. */
export function filesOfLines(files: readonly ByteSource[]): readonly SizedFile[] | null {
  const sized: SizedFile[] = [];
  for (const { file, size, content, beginning } of files) {
    const isPlain = content === 'text' && formOf(beginning, file).kind === 'lines';
    if (size === null || !isPlain || columnsOfPath(file).size > 0) return null;
    sized.push({ file, size });
  }
  return sized;
}

/**
 * Cuts a log between users. Reads only what is around the cuts. The lines of a user must be together; otherwise a cut separates them.
 * @param length of a part, in bytes.
 * @returns the ranges of each part.
 */
export function* cutLog(
  files: readonly SizedFile[],
  length = PART_BYTES,
): Generator<readonly ByteRange[], void, undefined> {
  let part: ByteRange[] = [];
  let missing = length;
  for (const { file, size } of files) {
    const lines = new LineReader(file, size);
    try {
      for (let start = 0; start < size;) {
        // A user at the end of a file can continue in the next one, so no part ends with a file.
        const end = start + missing < size ? endOfUser(lines, start + missing) : size;
        if (end > start) part.push({ file, start, end, line: 1 });
        missing = Math.max(missing - (end - start), 0);
        start = end;
        if (end === size) continue;
        yield part;
        part = [];
        missing = length;
      }
    } finally {
      lines.close();
    }
  }
  if (part.length > 0) yield part;
}

/**
 * Cuts a file between lines.
 * @param from the first byte.
 * @param length of a range, in bytes.
 */
export function* cutLines(
  { file, size }: SizedFile,
  from: number,
  length: number,
): Generator<ByteRange, void, undefined> {
  const lines = new LineReader(file, size);
  try {
    for (let start = from, end = from; start < size; start = end) {
      end = start + length < size ? lines.firstFrom(start + length) : size;
      yield { file, start, end, line: 1 };
    }
  } finally {
    lines.close();
  }
}

/** The end of the lines of the user whose line is the first to begin at this byte or later. */
function endOfUser(lines: LineReader, from: number): number {
  let user: string | null = null;
  for (let start = lines.firstFrom(from); start < lines.size;) {
    const { text, next } = lines.at(start);
    if (text.trim() !== '') {
      const found = userIn(text);
      if (user !== null && found !== user) return start;
      // The part's reader reports what is wrong with the line.
      if (found === null) return start;
      user = found;
    }
    start = next;
  }
  return lines.size;
}

function userIn(text: string): string | null {
  try {
    return userOf(JSON.parse(text) as Json);
  } catch {
    return null;
  }
}

/** Reads single lines of a file. */
class LineReader {
  private readonly handle: number;
  private readonly decoder = new TextDecoder();
  /** The block that was read last, and its place. */
  private block: Buffer = Buffer.alloc(0);
  private blockStart = 0;

  constructor(
    private readonly file: string,
    readonly size: number,
  ) {
    this.handle = opened(file);
  }

  close(): void {
    closeSync(this.handle);
  }

  /** The beginning of the first line that begins at this byte or later. */
  firstFrom(from: number): number {
    return from === 0 ? 0 : this.endOfLine(from - 1);
  }

  /** The line that begins at this byte, and the beginning of the next one. */
  at(start: number): { readonly text: string; readonly next: number } {
    const next = this.endOfLine(start);
    const bytes = this.block.subarray(start - this.blockStart, next - this.blockStart);
    return { text: this.decoder.decode(bytes), next };
  }

  /**
   * The first byte after the line with this byte. Afterwards the block contains all bytes from this one on. A line that is too long
   * counts as ending with the file: the part's reader refuses it.
   */
  private endOfLine(from: number): number {
    for (let length = LOOK_BYTES; ; length *= 2) {
      const begin = from - this.blockStart;
      const isInBlock = begin >= 0 && begin < this.block.length;
      const found = isInBlock ? this.block.indexOf(NEWLINE, begin) : -1;
      if (found >= 0) return this.blockStart + found + 1;
      const isWhole = isInBlock && this.blockStart + this.block.length >= this.size;
      if (isWhole || length > LONGEST_LINE) return this.size;
      this.block = bytesOf(this.handle, this.file, from, Math.min(from + length, this.size));
      this.blockStart = from;
    }
  }
}

/**
 * Reads a range in chunks.
 * @throws InputError if the file has become shorter, or cannot be read.
 */
export function* readRange({
  file,
  start,
  end,
}: Pick<ByteRange, 'file' | 'start' | 'end'>): Generator<Buffer, void, undefined> {
  const handle = opened(file);
  try {
    // Most ranges are a little longer than a part.
    for (let from = start; from < end; from += 2 * PART_BYTES)
      yield bytesOf(handle, file, from, Math.min(from + 2 * PART_BYTES, end));
  } finally {
    closeSync(handle);
  }
}

function opened(file: string): number {
  try {
    return openToRead(file);
  } catch (error) {
    throw unreadable(file, error);
  }
}

function bytesOf(handle: number, file: string, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  for (let filled = 0; filled < bytes.length;) {
    const read = readInto(handle, file, bytes, filled, start);
    if (read === 0) throw new InputError(`${file}: must not become shorter while it is read`);
    filled += read;
  }
  return bytes;
}

function readInto(handle: number, file: string, bytes: Buffer, filled: number, start: number): number {
  try {
    return readSync(handle, bytes, filled, bytes.length - filled, start + filled);
  } catch (error) {
    throw unreadable(file, error);
  }
}

const unreadable = (file: string, error: unknown): InputError =>
  new InputError(`${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`);

/** The same ranges with the numbers of their lines. */
export const withLineNumbers = (ranges: readonly ByteRange[]): readonly ByteRange[] =>
  ranges.map((range) => ({ ...range, line: 1 + linesBefore(range) }));

function linesBefore({ file, start }: ByteRange): number {
  let lines = 0;
  for (const bytes of readRange({ file, start: 0, end: start }))
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, end + 1)) lines += 1;
  return lines;
}
