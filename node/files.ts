import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  createWriteStream,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
  type Stats,
  type WriteStream,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/*
 * The only module of commands and collector that opens files for writing. Other users may be able to write to the folder, so no file is
 * opened under a name where somebody else could have put a link, a pipe or another file (CWE-59, CWE-377, CWE-732).
 */

/** Who may open a new file or folder: only its owner, or whoever the process's umask allows. */
export type Audience = 'owner' | 'umask';

const OWNER_FILE = 0o600;
const OWNER_FOLDER = 0o700;

/** Windows has neither; there both are undefined, as 0. */
const { O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Makes a file at a name where nothing may exist, not even a link.
 * @returns its descriptor, to read and write.
 */
export function createFile(file: string, audience: Audience): number {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW;
  const descriptor = openSync(file, flags, audience === 'owner' ? OWNER_FILE : undefined);
  if (audience === 'owner') fchmodSync(descriptor, OWNER_FILE);
  return descriptor;
}

/** Makes a file in place of an existing one. A link is removed, not followed. */
export function createAnew(file: string, audience: Audience): number {
  rmSync(file, { force: true });
  return createFile(file, audience);
}

/**
 * Opens a file that an earlier run has made, to read and write it.
 * @throws Error if it is a link or not a file, has another name as well, or belongs to somebody else.
 */
export const openOwn = (file: string): number => openedOwn(file, 0);

/** The same, but whatever is written goes to its end, also if several processes write. */
export const openOwnToAppend = (file: string): number => openedOwn(file, constants.O_APPEND);

function openedOwn(file: string, more: number): number {
  if (isLink(file)) throw new Error('is a link; remove it');
  // Without O_NONBLOCK, opening a pipe would wait for somebody to write into it.
  const descriptor = openSync(file, constants.O_RDWR | O_NOFOLLOW | O_NONBLOCK | more);
  const problem = problemOfOwn(fstatSync(descriptor));
  if (problem === null) return descriptor;
  closeSync(descriptor);
  throw new Error(problem);
}

function problemOfOwn(stats: Stats): string | null {
  if (!stats.isFile()) return 'is no file; remove it';
  if (stats.nlink > 1) return 'has another name as well (a hard link); remove it';
  return isOwn(stats) ? null : `belongs to user ${stats.uid}; remove it`;
}

const isLink = (file: string): boolean =>
  lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;

/** On Windows every file counts as the process owner's: permissions there work differently. */
const isOwn = ({ uid }: Stats): boolean => process.getuid === undefined || uid === process.getuid();

/** The descriptors that the shell opened for this process: `/dev/stdout`, or `/dev/fd/63` of `>(…)`. */
const INHERITED = /^\/(dev\/(stdout|stderr|fd\/\d+)|proc\/(self|\d+)\/fd\/\d+)$/;

/**
 * Whether a name is that of a pipe or device, which is written to, and not of a file, which is replaced.
 * @throws Error if it is neither: a folder, a disk, another user's pipe, or a link to one of these or to a pipe.
 */
export function isStream(file: string): boolean {
  if (INHERITED.test(path.resolve(file))) return true;
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined || stats.isFile()) return false;
  if (stats.isSymbolicLink()) {
    if (targetOf(file)?.isFile() ?? true) return false;
    throw new Error('is a link to something that is not a file; give the name of a file');
  }
  if (!stats.isFIFO() && !stats.isCharacterDevice())
    throw new Error(`is ${stats.isDirectory() ? 'a folder' : 'a disk or socket'}; give the name of a file`);
  if (isOwn(stats) || stats.uid === 0) return true;
  throw new Error(`is a pipe or device of user ${stats.uid}; give another name`);
}

/** What a name leads to; null if it leads to nothing, or in a circle. */
export function targetOf(file: string): Stats | null {
  try {
    return statSync(file);
  } catch {
    return null;
  }
}

/** Opens a pipe or device for which `isStream` holds. */
export function openStream(file: string): number {
  // /dev/stdout can be a file to which the shell appends.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOCTTY;
  return openSync(file, INHERITED.test(path.resolve(file)) ? flags : flags | O_NOFOLLOW);
}

/** Hidden, so that no command reads a folder that contains one. */
const UNFINISHED = '.cointoss-';

/** Removes the replacements that killed runs left in a folder that only this process uses. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder))
    if (name.startsWith(UNFINISHED)) rmSync(path.join(folder, name), { force: true });
}

/** A file that is being written. Until `finish`, the file that it replaces stays unchanged. Pipes and devices are written to at once. */
export class Replacement {
  readonly descriptor: number;
  /** The temporary name until it is finished, which nobody can guess. Null: it is not a file. */
  private unfinished: string | null;

  /** @throws Error when it cannot be made; so do the methods. */
  constructor(
    private readonly file: string,
    audience: Audience,
  ) {
    if (isStream(file)) {
      this.unfinished = null;
      this.descriptor = openStream(file);
      return;
    }
    this.unfinished = path.join(path.dirname(file), `${UNFINISHED}${randomUUID()}`);
    this.descriptor = createFile(this.unfinished, audience);
    if (audience === 'umask') keepMode(file, this.descriptor);
  }

  write(bytes: Uint8Array): void {
    writeAll(this.descriptor, bytes);
  }

  finish(): void {
    if (this.unfinished === null) return;
    fsyncSync(this.descriptor);
    renameSync(this.unfinished, this.file);
    this.unfinished = null;
  }

  /** Without `finish`, nothing remains. */
  close(): void {
    closeSync(this.descriptor);
    if (this.unfinished !== null) rmSync(this.unfinished, { force: true });
  }
}

/** Whoever was allowed to open the old file may open the new one, and nobody else. */
export function keepMode(file: string, descriptor: number): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true && isOwn(stats)) fchmodSync(descriptor, stats.mode & 0o777);
}

export const rename = renameSync;

/** It need not be there. */
export const removeFile = (file: string): void => rmSync(file, { force: true });

/** Truncates a file to its first bytes. */
export const cut = ftruncateSync;

/** @param position where in the file; null: after what was written or read before. */
export function writeAll(descriptor: number, bytes: Uint8Array, position: number | null = null): void {
  for (let written = 0; written < bytes.length;)
    written += writeSync(
      descriptor,
      bytes,
      written,
      bytes.length - written,
      position === null ? null : position + written,
    );
}

/** Makes a folder and its parents. Node's `recursive` never returns if the system answers ENOENT to every new folder, as in /proc. */
export function makeFolder(folder: string, audience: Audience): void {
  try {
    mkdirSync(folder, audience === 'owner' ? OWNER_FOLDER : undefined);
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
    const above = path.dirname(path.resolve(folder));
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' || targetOf(above) !== null) throw error;
    makeFolder(above, audience);
    makeFolder(folder, audience);
  }
}

/** Makes an empty folder that only its owner may open. */
export const makeTemporaryFolder = (prefix: string): string => mkdtempSync(path.join(tmpdir(), prefix));

/** Makes a file without a name, to write and read: however the process ends, nothing is left of it. */
export function makeNameless(): number {
  const file = path.join(tmpdir(), `${UNFINISHED}${randomUUID()}`);
  const descriptor = createFile(file, 'owner');
  rmSync(file);
  return descriptor;
}

/** A stream into a file that must not be there. */
export const createStream = (file: string): WriteStream =>
  createWriteStream(file, { fd: createFile(file, 'owner') });

export const openToRead = (file: string): number => openSync(file, 'r');

/** Makes a file, or the names in a folder, durable. */
export function sync(name: string): void {
  const descriptor = openToRead(name);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
