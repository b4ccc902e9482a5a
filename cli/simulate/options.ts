import { chromiumLimits } from '../../src/model/limits';
import { effectiveDebug, type Settings } from '../../formats/settings/settings';
import { replaySettings } from '../../analysis/scenario/scenario';
import { policyProblem, type AllocationPolicy } from '../../analysis/simulation/allocation';
import { matchingFor, type Matching, type MatchingMechanism } from '../../analysis/simulation/matching';
import { parseCsvMapping } from '../../analysis/simulation/csv-mapping';
import { readPublicKeys } from '../io/aggregation-keys';
import { compressionOf, type Compression } from '../io/compression';
import { accept, InputError, readJson, threadsOption } from '../io/input';
import { InputFiles } from '../io/input-files';
import { refuseSameFile } from '../io/same-file';
import { readSettings } from '../io/settings-file';
import { shardOption, wholeLog, type Shard } from './sharding';
import { isContinuable } from '../io/output';
import type { LogMapping } from './lines';
import { tableFormatOf } from '../io/table-file';
import type { HistogramMechanism } from '../../analysis/histograms/mechanisms';
import { histogramPlanOf, type HistogramPlan } from './histogram';
import type { PriorCost } from '../../analysis/optimize/private-prior';
import type { PoolSetup } from './parts';

export type Api = 'ara' | 'w3c';

/** The options of `cointoss simulate` as given. */
export interface SimulateOptions {
  readonly api: Api;
  readonly input: readonly string[];
  readonly output: string;
  readonly sourcesOutput?: string;
  readonly threads?: string;
  readonly seed?: string;
  readonly noise: boolean;
  readonly settings?: string;
  readonly aggregationKey?: string;
  readonly allocation: AllocationPolicy;
  readonly matching?: MatchingMechanism;
  readonly priorFile?: string;
  readonly priorColumn?: string;
  readonly priorEpsilon?: string;
  readonly priorSplit?: PriorCost['split'];
  readonly csv?: boolean;
  readonly map?: string;
  readonly skipInvalid?: boolean;
  readonly unsorted?: boolean;
  readonly resume?: boolean;
  readonly withUsers?: boolean;
  readonly summary?: string;
  readonly shard?: string;
  readonly compare?: string;
  readonly channel?: string;
  readonly histogram?: string;
  readonly mechanism?: readonly HistogramMechanism[];
  readonly epsilon?: string;
  readonly sourceEpsilon?: string;
  readonly delta?: string;
}

/** The log to read, and the destinations of the results. */
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

/** The simulation that valid options describe. */
export interface Plan extends LogPlan {
  /** Null: no source log is written. */
  readonly sourcesOutput: string | null;
  readonly resume: boolean;
  /** The file for credits; null: they are not compared. */
  readonly compare: string | null;
  /** Null: no histogram is written. */
  readonly histogram: HistogramPlan | null;
  readonly setup: PoolSetup;
}

/** @throws InputError */
export function logPlanOf(options: SimulateOptions, shard: Shard): LogPlan {
  const { output, unsorted = false, summary = null } = options;
  const input = new InputFiles(options.input);
  refuseOverwriting(options, input);
  const threads = threadsOption('simulate', options.threads);
  return { input, output, threads, mapping: mappingOf(options), unsorted, summary, shard };
}

/** @throws InputError */
export function planOf(options: SimulateOptions): Plan {
  const { output, resume = false, allocation, sourcesOutput = null } = options;
  const { aggregationKey } = options;
  const keys = aggregationKey === undefined ? {} : { aggregationKeys: readPublicKeys(aggregationKey) };
  const settings = settingsIn(options);
  const problem = policyProblem(allocation, settings.budget);
  if (problem !== null) throw settingsError(options, problem);
  if (resume && !isContinuable(output))
    throw new InputError('simulate: --resume: must have a file as --output, which can be continued');
  const channel = channelIn(options);
  const histogram = histogramPlanOf(options);
  const seed = options.seed ?? effectiveDebug(settings).seed;
  if (options.shard !== undefined && seed === null)
    throw new InputError(
      'simulate: --shard: must come with --seed; without one, a shard that runs again would draw new noise for the same users',
    );
  const shard = options.shard === undefined ? wholeLog : shardOption(options.shard);
  return {
    ...logPlanOf(options, shard),
    sourcesOutput,
    resume,
    compare: options.compare ?? null,
    histogram,
    setup: {
      shard,
      settings,
      noise: options.noise,
      allocation,
      matching: matchingIn(settings, options),
      ...keys,
      seed,
      withUsers: options.withUsers ?? false,
      sourceEpsilon: options.sourceEpsilon === undefined ? null : sourceEpsilonOf(options.sourceEpsilon),
      channel,
      compression: compressionOfLines(output),
      sourcesCompression: sourcesOutput === null ? null : compressionOfLines(sourcesOutput),
    },
  };
}

/** @throws InputError */
function sourceEpsilonOf(text: string): number {
  const most = chromiumLimits.maxSettableEpsilon;
  const epsilon = text.trim() === '' ? NaN : Number(text);
  if (epsilon >= 0 && epsilon <= most) return epsilon;
  throw new InputError(`simulate: --source-epsilon: must be a number from 0 to ${most}, was "${text}"`);
}

/** Null: nothing is counted by channel. @throws InputError */
function channelIn({ resume, compare, histogram, channel }: SimulateOptions): string | null {
  const needing = compare === undefined ? (histogram === undefined ? null : 'histogram') : 'compare';
  if (needing === null) {
    if (channel === undefined) return null;
    throw new InputError('simulate: --channel: must come with --compare or --histogram');
  }
  if (resume === true)
    throw new InputError(`simulate: --resume: must not come with --${needing}, which needs the whole log`);
  return channel ?? 'campaign';
}

/** Giving a key asks for the reports that are sealed for it. */
function settingsIn({ settings: file, aggregationKey }: SimulateOptions): Settings {
  const settings = file === undefined ? replaySettings : readSettings(file);
  return aggregationKey === undefined ? settings : { ...settings, aggregatableReports: true };
}

/** Tables are made from lines of JSON once all are there. */
const compressionOfLines = (output: string): Compression =>
  output === '-' || tableFormatOf(output) !== null ? 'none' : compressionOf(output);

const settingsError = ({ settings }: SimulateOptions, problem: string): InputError =>
  new InputError(`${settings ?? 'simulate: --settings'}: ${problem}`);

function matchingIn(settings: Settings, options: SimulateOptions): Matching | null {
  if (options.matching === undefined) return null;
  const matching = matchingFor(options.matching, settings);
  if (typeof matching === 'string') throw settingsError(options, matching);
  return matching;
}

function refuseOverwriting(
  {
    settings,
    map,
    output,
    summary,
    sourcesOutput,
    priorFile,
    aggregationKey,
    compare,
    histogram,
  }: SimulateOptions,
  input: InputFiles,
): void {
  const read = {
    'the input': input.names,
    'the settings': settings,
    'the mapping': map,
    'the past sources': priorFile,
    'the public keys': aggregationKey,
  };
  if (summary === '-') throw new InputError('simulate: --summary: must be a file');
  refuseSameFile(output, { ...read, 'the summary': summary });
  refuseSameFile(summary, { ...read, 'the source log': sourcesOutput });
  if (sourcesOutput !== undefined && !isContinuable(sourcesOutput))
    throw new InputError('simulate: --sources-output: must be a file');
  refuseSameFile(sourcesOutput, { ...read, 'the output': output });
  const written = { 'the output': output, 'the summary': summary, 'the source log': sourcesOutput };
  for (const [name, file] of Object.entries({ compare, histogram }))
    if (file === '-') throw new InputError(`simulate: --${name}: must be a file`);
  refuseSameFile(compare, { ...read, ...written });
  refuseSameFile(histogram, { ...read, ...written, 'the compared credits': compare });
}

function mappingOf({ csv = false, map, skipInvalid = false }: SimulateOptions): LogMapping | null {
  if (map !== undefined)
    return { file: map, mapping: accept(map, parseCsvMapping(readJson(map))), csv, skipInvalid };
  for (const [name, given] of Object.entries({ csv, 'skip-invalid': skipInvalid }))
    if (given)
      throw new InputError(
        `simulate: --${name}: must come with --map, the file that says what the columns are`,
      );
  return null;
}
