import path from 'node:path';
import { entriesBelow } from '../../node/entries';
import { targetOf } from '../../node/files';
import { ByteSource } from './byte-source';
import { InputError } from './input';
import { say } from './terminal';

/** The files of an input, one after another. */
export class InputFiles {
  readonly files: readonly ByteSource[];

  /**
   * @param paths files, folders with files, or `-` for standard input.
   * @throws InputError when there is no such file, before any work begins.
   */
  constructor(paths: readonly string[]) {
    this.files = paths.flatMap(filesIn).map((file) => new ByteSource(file));
  }

  get names(): readonly string[] {
    return this.files.map(({ file }) => file);
  }
}

/** How many bytes were read, and of how many; null if a size is unknown, as for a pipe. */
export function bytesOf(
  inputs: readonly InputFiles[],
): { readonly read: number; readonly size: number } | null {
  let [read, size] = [0, 0];
  for (const file of inputs.flatMap(({ files }) => files)) {
    if (file.size === null) return null;
    read += file.read;
    size += file.size;
  }
  return { read, size };
}

/** The share that has been read, from 0 to 1; null if a size is unknown. */
export function shareRead(inputs: readonly InputFiles[]): number | null {
  const bytes = bytesOf(inputs);
  if (bytes === null) return null;
  return bytes.size === 0 ? 1 : bytes.read / bytes.size;
}

/** Hive and Spark mark files and folders without data by these first characters. */
const NO_DATA = /(^|[/\\])[._]/;
/** `generate --like` keeps one beside a log. */
export const LEDGER = /\.ledger$/;

/** In the order of their names. Says which ledgers it leaves out, because a file of the log may have such a name. */
function filesIn(name: string): readonly string[] {
  if (name === '-' || targetOf(name)?.isDirectory() !== true) return [name];
  const found = entriesBelow(name)
    .filter((file) => !NO_DATA.test(path.relative(name, file)))
    .filter((file) => targetOf(file)?.isFile() === true)
    .sort();
  const files = found.filter((file) => !LEDGER.test(file));
  const ledgers = found.filter((file) => LEDGER.test(file)).map((file) => path.relative(name, file));
  if (ledgers.length > 0)
    say(`${name}: left out, because ledgers are no data: ${listed(ledgers)}; to read one, name it`);
  const unfinished = files.find((file) => /\.(unfinished|checkpoint)$/.test(file));
  if (unfinished !== undefined)
    throw new InputError(`${unfinished}: must not be there: its output is not complete`);
  if (files.length === 0) throw new InputError(`${name}: must have files, has none`);
  return files;
}

/** With at most ten of them by name. */
const listed = (names: readonly string[]): string =>
  names.length <= LISTED
    ? names.join(', ')
    : `${names.slice(0, LISTED).join(', ')} and ${names.length - LISTED} more`;

const LISTED = 10;
