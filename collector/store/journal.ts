import { randomUUID } from 'node:crypto';
import { closeSync, fdatasync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { createFile, cut, makeFolder, removeFile, sync, writeAll } from '../../node/files';

/** In bytes. A part is removed once all of it is in the database. */
const PART_BYTES = 16 * 2 ** 20;

/** A place after a line. */
export interface Position {
  /** The number of the part. */
  readonly part: number;
  /** In bytes. */
  readonly end: number;
}

export interface JournalLine {
  readonly text: string;
  readonly position: Position;
}

/** The one that is being written. */
interface Part {
  readonly number: number;
  readonly descriptor: number;
  size: number;
}

const syncData = promisify(fdatasync);

/**
 * What a folder's collector has accepted and the database does not have yet, as files of lines. Writing a line waits for nothing else. A
 * line that a crash cut off was not acknowledged, and its checksum tells.
 */
export class Journal {
  #part: Part | null = null;
  #next: number;

  /**
   * Makes the folder if it is missing.
   * @param known up to where the database has its lines
   */
  constructor(
    private readonly folder: string,
    private readonly known: Position,
  ) {
    makeFolder(folder, 'owner');
    this.#next = Math.max(known.part, ...this.parts()) + 1;
  }

  /** What earlier runs left and the database does not have. */
  *left(): Generator<JournalLine> {
    const { part, end } = this.known;
    for (const number of this.parts())
      if (number >= part)
        for (const line of linesOf(number, readFileSync(this.fileOf(number))))
          if (number > part || line.position.end > end) yield line;
  }

  /**
   * Appends lines without line breaks. Rejects if they may not be durable.
   * @returns the position after each.
   */
  async append(lines: readonly string[]): Promise<readonly Position[]> {
    const part = (this.#part ??= this.startPart());
    const bytes = lines.map(lineBytes);
    try {
      writeAll(part.descriptor, Buffer.concat(bytes), part.size);
      await syncData(part.descriptor);
    } catch (error) {
      // What is half written must not come before the next lines.
      cut(part.descriptor, part.size);
      throw error;
    }
    const positions = bytes.map(({ length }) => ({ part: part.number, end: (part.size += length) }));
    if (part.size > PART_BYTES) this.endPart();
    return positions;
  }

  /** Removes the parts before that of a position up to which the database has all. */
  applied({ part }: Position): void {
    for (const number of this.parts()) if (number < part) removeFile(this.fileOf(number));
  }

  /** Removes what earlier runs left. */
  removeLeft(): void {
    this.applied({ part: this.#next, end: 0 });
  }

  /** Keeps a line that the database refuses, which our own checks should have refused. */
  setAside(text: string): void {
    const descriptor = createFile(join(this.folder, `refused-${randomUUID()}.json`), 'owner');
    writeAll(descriptor, Buffer.from(text));
    closeSync(descriptor);
  }

  close(): void {
    this.endPart();
  }

  private startPart(): Part {
    const number = this.#next++;
    const descriptor = createFile(this.fileOf(number), 'owner');
    sync(this.folder);
    return { number, descriptor, size: 0 };
  }

  private endPart(): void {
    if (this.#part !== null) closeSync(this.#part.descriptor);
    this.#part = null;
  }

  private parts(): readonly number[] {
    return readdirSync(this.folder)
      .map(Number)
      .filter(Number.isSafeInteger)
      .sort((a, b) => a - b);
  }

  private fileOf(part: number): string {
    return join(this.folder, String(part));
  }
}

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');

const lineBytes = (text: string): Buffer => Buffer.from(`${checksum(text)} ${text}\n`);

/** The lines that are whole. One that is damaged takes no other with it. */
function* linesOf(part: number, bytes: Buffer): Generator<JournalLine> {
  for (let start = 0; ;) {
    const end = bytes.indexOf('\n', start) + 1;
    if (end === 0) return;
    const [, sum, text = ''] = /^([0-9a-f]{8}) (.*)$/s.exec(bytes.toString('utf8', start, end - 1)) ?? [];
    if (sum === checksum(text)) yield { text, position: { part, end } };
    start = end;
  }
}
