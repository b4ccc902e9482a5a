import type { Command } from 'commander';
import { readPublicKeys } from '../io/aggregation-keys';
import { compressionOf, type Compression } from '../io/compression';
import { InputError } from '../io/input';
import { isContinuable } from '../io/output';
import { tableFormatOf } from '../io/table-name';
import { addEngineOptions, engineSetupOf, filesOf, type EngineOptions } from './engine-options';
import { addLogOptions, logPlanOf, type LogPlan } from './log-options';
import type { PoolSetup } from './parts';
import { shardOption, wholeLog } from './sharding';

/** The options of `cointoss simulate` as given. */
export interface SimulateOptions extends EngineOptions {
  readonly sourcesOutput?: string;
  readonly aggregationKey?: string;
  readonly resume?: boolean;
  readonly withUsers?: boolean;
  readonly shard?: string;
}

/** The simulation that valid options describe. */
export interface Plan extends LogPlan {
  /** Where reports go; null: nowhere. */
  readonly reports: string | null;
  /** Null: no source log is written. */
  readonly sourcesOutput: string | null;
  readonly resume: boolean;
  /** Whether settings may change nothing. */
  readonly allowNoEffect: boolean;
  readonly setup: PoolSetup;
}

export const addSimulateOptions = (command: Command): Command =>
  addEngineOptions(
    addLogOptions(
      command,
      'reports, one line of JSON each, or - for standard output; .csv, .tsv, .parquet, .gz and .zst as named',
    ),
  )
    .option('--sources-output <file>', 'write the log of the stored sources, which estimate reads')
    .option(
      '--shard <i/n>',
      'only the users in shard i of n, from 0/n; needs --seed; see "cointoss shard --help"',
    )
    .option('--resume', 'continue an incomplete output')
    .option(
      '--aggregation-key <file>',
      'also write aggregatable reports, sealed for one of the public keys that cointoss aggregate --new-key printed',
    )
    .option('--with-users', 'add the user to each report, which no collector knows');

/** @throws InputError */
export function planOf(options: SimulateOptions): Plan {
  const { output, resume = false, withUsers = false, sourcesOutput, aggregationKey } = options;
  const aggregationKeys = aggregationKey === undefined ? null : readPublicKeys(aggregationKey);
  // Whoever gives a key wants the reports that are sealed for it.
  const setup = engineSetupOf(options, (settings) =>
    aggregationKey === undefined ? settings : { ...settings, aggregatableReports: true },
  );
  if (resume && !isContinuable(output))
    throw new InputError('simulate: --resume: must have a file as --output, which can be continued');
  if (options.shard !== undefined && setup.seed === null)
    throw new InputError(
      'simulate: --shard: must come with --seed; without one, a shard that runs again would draw new noise for the same users',
    );
  const shard = options.shard === undefined ? wholeLog : shardOption('simulate', options.shard);
  if (sourcesOutput !== undefined && !isContinuable(sourcesOutput))
    throw new InputError('simulate: --sources-output: must be a file');
  const read = { ...filesOf(options), 'the public keys': aggregationKey };
  return {
    ...logPlanOf(options, read, { 'the source log': sourcesOutput }, shard),
    reports: output,
    sourcesOutput: sourcesOutput ?? null,
    resume,
    allowNoEffect: options.allowNoEffect ?? false,
    setup: {
      ...setup,
      aggregationKeys,
      shard,
      withUsers,
      channel: null,
      compression: compressionOfLines(output),
      sourcesCompression: sourcesOutput === undefined ? null : compressionOfLines(sourcesOutput),
    },
  };
}

/** Tables are made from lines of JSON once all are there. */
const compressionOfLines = (output: string): Compression =>
  output === '-' || tableFormatOf(output) !== null ? 'none' : compressionOf(output);
