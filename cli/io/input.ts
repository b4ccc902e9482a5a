import { closeSync, readSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { signatureOf, Utf8Decoder } from '../../node/encoding';
import { openToRead } from '../../node/files';
import { NOT_UTF_8 } from '../../node/lines';
import type { Json } from '../../src/model/json';
import { mistake, type Issue } from '../../formats/codec/mistakes';
import { readCommentedJson } from '../../formats/codec/commented-json';
import type { Parsed } from '../../formats/codec/issues';
import { ParameterError } from '../../src/privacy/parameters';
import { english } from '../../words/english';
import { say } from './terminal';
import { integerParameter } from '../../analysis/noise/parameters';

/** A mistake of the caller: one line on standard error, exit code 2. */
export class InputError extends Error {}

/** In bytes. A value that is read as a whole takes about ten times as much memory. */
const LARGEST_TEXT = 1 << 27;

/**
 * The text with its byte order mark, if it has one.
 * @param file a path, or `-` for standard input.
 * @throws InputError if it cannot be read, or is not UTF-8.
 */
export function readText(file: string): string {
  let bytes: Buffer | null;
  try {
    bytes = bytesWithin(file, LARGEST_TEXT);
  } catch (error) {
    throw new InputError(
      `${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (bytes !== null) return decoded(file, bytes);
  throw new InputError(`${file}: must have at most ${LARGEST_TEXT} bytes, has more`);
}

/** @throws InputError */
function decoded(file: string, bytes: Uint8Array): string {
  const found = signatureOf(bytes);
  if (found?.packing === 'utf-16le' || found?.packing === 'utf-16be')
    return utf16(file, bytes, found.packing);
  if (found !== null) throw new InputError(`${file}: ${found.what}; ${found.remedy}`);
  const refused = (before: number): InputError => new InputError(`${file}: line ${before + 1}: ${NOT_UTF_8}`);
  const decoder = new Utf8Decoder({ keepsMark: true });
  return decoder.decode(bytes, refused) + decoder.decode(null, refused);
}

function utf16(file: string, bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new InputError(`${file}: begins as UTF-16, and is not`);
  }
}

/** Null if the input has more. A pipe does not announce its size. */
function bytesWithin(file: string, most: number): Buffer | null {
  const handle = file === '-' ? 0 : openToRead(file);
  try {
    const parts: Buffer[] = [];
    for (let length = 0; length <= most;) {
      const part = Buffer.alloc(1 << 16);
      const read = readSync(handle, part);
      if (read === 0) return Buffer.concat(parts);
      parts.push(part.subarray(0, read));
      length += read;
    }
    return null;
  } finally {
    if (file !== '-') closeSync(handle);
  }
}

/** Accepts `//` comments. */
export function readJson(file: string, text = readText(file)): Json {
  const { value, problem } = readCommentedJson(text);
  if (problem === null) return value;
  throw new InputError(`${file}: ${english.mistakeText(mistake('not-json', { problem }))}`);
}

/**
 * Returns the parsed value, and prints warnings on standard error.
 * @throws InputError for the first mistake, with the file and the place.
 */
export function accept<T>(file: string, { value, errors, warnings }: Parsed<T>): T {
  if (value === null) throw new InputError(describe(file, errors[0]));
  for (const warning of warnings) warn(file, warning);
  return value;
}

/** Warns on standard error; the command goes on. */
export const warn = (file: string, issue: Issue): void => say(describe(file, issue));

export const describe = (file: string, issue: Issue | undefined): string =>
  `${file}: ${issue === undefined ? 'is not valid' : english.issueText(issue)}`;

/** Names of columns, for a message. A file can have very many. */
export const namesText = (names: readonly string[]): string =>
  [
    ...names.slice(0, MOST_NAMES),
    ...(names.length > MOST_NAMES ? [`${names.length - MOST_NAMES} more`] : []),
  ].join(', ');

const MOST_NAMES = 50;

/** @throws InputError that names the option, for a value out of range; other errors unchanged. */
export function refuseOption(command: string, error: unknown): never {
  if (error instanceof ParameterError)
    throw new InputError(`${command}: --${english.issueSentence(error.issue)}`);
  throw error;
}

/** @throws InputError unless the text is an integer from `min` to `max`. */
export function integerOption(command: string, name: string, text: string, min: bigint, max: bigint): number {
  try {
    return Number(integerParameter(name, text, min, max));
  } catch (error) {
    return refuseOption(command, error);
  }
}

/** @throws InputError unless the text is a number between 0 and 1, without these. */
export function openShareOption(command: string, name: string, text: string): number {
  const share = Number(text);
  if (share > 0 && share < 1) return share;
  throw new InputError(`${command}: --${name}: must be greater than 0 and less than 1, was "${text}"`);
}

/** A list, separated by commas. */
export const splitList = (text: string): string[] => (text.trim() === '' ? [] : text.split(','));

/** `--threads`; by default one for each processor. */
export const threadsOption = (command: string, threads: string | undefined): number =>
  threads === undefined ? availableParallelism() : integerOption(command, 'threads', threads, 1n, 1024n);
