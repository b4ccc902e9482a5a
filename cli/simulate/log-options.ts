import type { Command } from 'commander';
import { parseCsvMapping } from '../../analysis/simulation/csv-mapping';
import { accept, InputError, readJson, threadsOption } from '../io/input';
import { InputFiles } from '../io/input-files';
import { refuseSameFile } from '../io/same-file';
import type { LogMapping } from './lines';
import { wholeLog, type Shard } from './sharding';

/** The options that all commands about a log have. */
export interface LogOptions {
  readonly input: readonly string[];
  readonly output: string;
  readonly threads?: string;
  readonly seed?: string;
  readonly noise: boolean;
  readonly csv?: boolean;
  readonly map?: string;
  readonly skipInvalid?: boolean;
  readonly unsorted?: boolean;
  readonly summary?: string;
}

/** Which log is read, and where the results go. */
export interface LogPlan {
  readonly input: InputFiles;
  readonly output: string;
  readonly threads: number;
  /** Null for a log of events. */
  readonly mapping: LogMapping | null;
  readonly unsorted: boolean;
  readonly summary: string | null;
  readonly shard: Shard;
}

/** Files by what they are, for messages. */
export type NamedFiles = Readonly<Record<string, string | undefined>>;

/** @param output what `--output` gets */
export function addLogOptions(command: Command, output: string): Command {
  return command
    .requiredOption(
      '--input <files...>',
      'events, one line of JSON each, or Parquet; files or folders, or - for standard input; may be compressed',
    )
    .requiredOption('--output <file>', output)
    .option('--threads <count>', 'number of threads; by default one per processor')
    .option('--seed <seed>', 'make the random draws repeatable')
    .option('--no-noise', 'disable noise, except where the log forces an output')
    .option('--map <file>', 'the file that maps rows of a CSV, TSV, Parquet or NDJSON file to events')
    .option('--csv', 'with --map: the rows are CSV, whatever the name of the input')
    .option(
      '--skip-invalid',
      'leave out and count rows that do not fit --map, and continue even if no source is valid',
    )
    .option('--unsorted', 'sort the events by user and time first')
    .option('--summary <file>', 'write the counts of all decisions as JSON');
}

/**
 * @param read the files that are read beside the log and its mapping
 * @param written the files that are written beside the output and the summary
 * @throws InputError
 */
export function logPlanOf(
  options: LogOptions,
  read: NamedFiles,
  written: NamedFiles = {},
  shard: Shard = wholeLog,
): LogPlan {
  const { output, map, unsorted = false, summary } = options;
  const input = new InputFiles(options.input);
  if (summary === '-') throw new InputError('simulate: --summary: must be a file');
  const others = { 'the input': input.names, 'the mapping': map, ...read };
  const targets = { 'the output': output, 'the summary': summary, ...written };
  for (const [name, file] of Object.entries(targets)) {
    refuseSameFile(file, others);
    Object.assign(others, { [name]: file });
  }
  const threads = threadsOption('simulate', options.threads);
  return { input, output, threads, mapping: mappingOf(options), unsorted, summary: summary ?? null, shard };
}

function mappingOf({ csv = false, map, skipInvalid = false }: LogOptions): LogMapping | null {
  if (map !== undefined)
    return { file: map, mapping: accept(map, parseCsvMapping(readJson(map))), csv, skipInvalid };
  for (const [name, given] of Object.entries({ csv, 'skip-invalid': skipInvalid }))
    if (given)
      throw new InputError(`simulate: --${name}: must come with --map, the file that describes the columns`);
  return null;
}
