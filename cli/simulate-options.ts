import { effectiveDebug, type Settings } from '../src/model/settings';
import { replaySettings } from '../analysis/scenario/scenario';
import { policyProblem, type AllocationPolicy } from '../analysis/simulation/allocation';
import { matchingFor, type Matching, type MatchingMechanism } from '../analysis/simulation/matching';
import { parseCsvMapping, type CsvMapping } from '../analysis/simulation/csv-mapping';
import { compressionOf } from './compression';
import { accept, InputError, readJson, threadsOption } from './input';
import { refuseSameFile } from './same-file';
import { readSettings } from './settings-file';
import { isContinuable } from './simulate-output';
import type { PoolSetup } from './simulate-batches';

/** The options of `cointoss simulate` as given. */
export interface SimulateOptions {
  readonly input: string;
  readonly output: string;
  readonly sourcesOutput?: string;
  readonly threads?: string;
  readonly seed?: string;
  readonly noise: boolean;
  readonly settings?: string;
  readonly allocation: AllocationPolicy;
  readonly matching?: MatchingMechanism;
  readonly csv?: boolean;
  readonly map?: string;
  readonly unsorted?: boolean;
  readonly resume?: boolean;
  readonly withUsers?: boolean;
  readonly summary?: string;
}

/** The simulation that valid options describe. */
export interface Plan {
  readonly input: string;
  readonly output: string;
  /** Null: no source log is written. */
  readonly sourcesOutput: string | null;
  readonly threads: number;
  /** Null for a log of events. */
  readonly mapping: CsvMapping | null;
  readonly unsorted: boolean;
  readonly resume: boolean;
  readonly summary: string | null;
  readonly setup: PoolSetup;
}

/** @throws InputError */
export function planOf(options: SimulateOptions): Plan {
  refuseOverwriting(options);
  const { input, output, unsorted = false, resume = false, allocation, sourcesOutput = null } = options;
  const settings = options.settings === undefined ? replaySettings : readSettings(options.settings);
  const problem = policyProblem(allocation, settings.budget);
  if (problem !== null) throw settingsError(options, problem);
  if (resume && !isContinuable(output))
    throw new InputError('simulate: --resume: must have a file as --output, which can be continued');
  return {
    input,
    output,
    sourcesOutput,
    threads: threadsOption('simulate', options.threads),
    mapping: mappingOf(options),
    unsorted,
    resume,
    summary: options.summary ?? null,
    setup: {
      settings,
      noise: options.noise,
      allocation,
      matching: matchingIn(settings, options),
      seed: options.seed ?? effectiveDebug(settings).seed,
      withUsers: options.withUsers ?? false,
      compression: output === '-' ? 'none' : compressionOf(output),
      sourcesCompression: sourcesOutput === null ? null : compressionOf(sourcesOutput),
    },
  };
}

const settingsError = ({ settings }: SimulateOptions, problem: string): InputError =>
  new InputError(`${settings ?? 'simulate: --settings'}: ${problem}`);

function matchingIn(settings: Settings, options: SimulateOptions): Matching | null {
  if (options.matching === undefined) return null;
  const matching = matchingFor(options.matching, settings);
  if (typeof matching === 'string') throw settingsError(options, matching);
  return matching;
}

function refuseOverwriting({ input, settings, map, output, summary, sourcesOutput }: SimulateOptions): void {
  const read = { 'the input': input, 'the settings': settings, 'the mapping': map };
  if (summary === '-') throw new InputError('simulate: --summary: must be a file');
  refuseSameFile(output, { ...read, 'the summary': summary });
  refuseSameFile(summary, { ...read, 'the source log': sourcesOutput });
  if (sourcesOutput !== undefined && !isContinuable(sourcesOutput))
    throw new InputError('simulate: --sources-output: must be a file');
  refuseSameFile(sourcesOutput, { ...read, 'the output': output });
}

function mappingOf({ csv = false, map }: SimulateOptions): CsvMapping | null {
  if (!csv && map === undefined) return null;
  if (!csv || map === undefined)
    throw new InputError('simulate: --csv: must come with --map, the file that says what the columns are');
  return accept(map, parseCsvMapping(readJson(map)));
}
