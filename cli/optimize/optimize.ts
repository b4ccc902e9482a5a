import { Option } from 'commander';
import type { SourceType } from '../../src/model/limits';
import { optimize, settableEpsilon, type Goal } from '../../analysis/optimize/optimize';
import { LAST_SECOND, type PastConversions } from '../../analysis/optimize/past-conversions';
import { bestWindows } from '../../analysis/optimize/report-windows';
import { tradeOffSvg } from '../../analysis/optimize/trade-off-svg';
import { countedValues, privateCounts } from '../../analysis/optimize/private-prior';
import { givenDistribution, pastDistribution } from '../../analysis/optimize/value-distribution';
import type { Loss } from '../../src/privacy/bin-loss';
import { positive } from '../../src/privacy/parameters';
import type { SummaryError } from '../../analysis/optimize/summary-split';
import type { DefineCommand } from '../io/define';
import { InputError, refuseOption, splitList } from '../io/input';
import { InputFiles } from '../io/input-files';
import { configurationRow, optimizeJson, type OptimizeInput, type PrivatePrior } from './json';
import { optimizeSummary, type SummaryOptions } from './summary';
import { optimizeTable } from './table';
import { replaceFile } from '../io/output';
import { readPastConversions } from '../io/past-conversions';
import { randomFor } from '../io/random';
import { refuseSameFile } from '../io/same-file';
import { writeTable } from '../io/table-file';
import { integerParameter } from '../../analysis/noise/parameters';

interface OptimizeOptions extends SummaryOptions {
  readonly summary?: boolean;
  readonly values?: readonly string[];
  readonly prior?: readonly string[];
  readonly column?: string;
  readonly delayColumn?: string;
  readonly priorEpsilon?: string;
  readonly seed?: string;
  readonly sourceType: SourceType;
  readonly maxBuckets?: string;
  readonly maxReports?: string;
  readonly windows: string;
  readonly triggerData: string;
  readonly for: Goal;
  readonly loss: Loss;
  readonly sources: string;
  readonly svg?: string;
  readonly output?: string;
}

// ARA, "Constants"; flexible_event_config.md.
const MAX_REPORTS = 20n;
const MAX_WINDOWS = 5n;
const MAX_TRIGGER_DATA = 32n;
const DEFAULT_BUCKETS = 5;

/** `cointoss optimize`: chooses summary buckets and report windows for a source, and shows what the noise costs. */
export const define: DefineCommand = (command, { print }) => {
  command
    .option('--values <values>', "the possible sums of a source's conversions, ascending", splitList)
    .option('--prior <probabilities>', 'how likely each value is', splitList)
    .option(
      '--csv <files...>',
      'past sources instead, one per row: CSV, TSV, NDJSON or Parquet; files or folders, or - for CSV from standard input',
    )
    .option('--column <name>', 'the column with the sum of their conversions; empty for none')
    .option('--delay-column <name>', 'the column with the seconds from source to conversion')
    .option(
      '--prior-epsilon <epsilon>',
      'count the past sources of --csv by --values with this ε, greater than 0',
    )
    .option('--seed <seed>', 'make the noise of --prior-epsilon repeatable')
    .option('--epsilon <epsilon>', 'greater than 0 and at most 14', '14')
    .addOption(
      new Option('--source-type <type>', 'the type of the source')
        .choices(['navigation', 'event'] satisfies SourceType[])
        .default('navigation'),
    )
    .option(
      '--max-buckets <count>',
      `up to 20 summary buckets; ${DEFAULT_BUCKETS} unless --max-reports is less`,
    )
    .option('--max-reports <count>', 'max_event_level_reports; by default the number of buckets')
    .option('--windows <count>', 'up to 5 report windows; more than one needs --delay-column', '1')
    .option('--trigger-data <count>', 'number of trigger data that share the spec', '1')
    .addOption(
      new Option('--for <goal>', "what to minimise: the loss of one source's value, or the error of a total")
        .choices(['value', 'total'] satisfies Goal[])
        .default('value'),
    )
    .addOption(
      new Option('--loss <loss>', "the loss function for one source's value")
        .choices(['squared', 'absolute', 'poisson'] satisfies Loss[])
        .default('squared'),
    )
    .option('--sources <count>', 'number of sources in a total', '10000')
    .option('--json', 'print one JSON object')
    .option(
      '--output <file>',
      'write a row for each compared number of buckets: .csv, .tsv, .parquet or .ndjson',
    )
    .option('--svg <file>', 'write a picture of the trade-off')
    .option('--summary', 'choose how queries share the contribution budget of summary reports, from --csv')
    .option(
      '--queries <queries...>',
      'the sum and the slices of each query: conversions/campaign or value/campaign,device',
    )
    .option('--source-column <name>', 'the column with the source to which a past conversion was attributed')
    .addOption(
      new Option(
        '--error <error>',
        'what to minimise: the squared error of sums, or the error relative to sums',
      )
        .choices(['mse', 'rmsre'] satisfies SummaryError[])
        .default('mse'),
    )
    .option(
      '--tau <values>',
      'for rmsre, one value per query: errors are relative to the sum, or to this value if the sum is less',
      splitList,
    )
    .option('--weights <weights>', "the weight of each query's squared error; by default 1", splitList)
    .action(async (options: OptimizeOptions) => {
      const text = options.summary === true ? await runSummary(options) : await runOptimize(options);
      for (const line of text.split('\n')) print(line);
    });
};

/** @throws InputError for options of the other goals. */
function runSummary(options: OptimizeOptions): Promise<string> {
  const { values, prior, column, delayColumn, priorEpsilon, seed, svg, output, maxBuckets, maxReports } =
    options;
  const others = {
    ...{ values, prior, column, seed, svg, output },
    'delay-column': delayColumn,
    'prior-epsilon': priorEpsilon,
    'max-buckets': maxBuckets,
    'max-reports': maxReports,
  };
  for (const [name, value] of Object.entries(others))
    if (value !== undefined) throw new InputError(`optimize: --${name}: must not come with --summary`);
  return optimizeSummary(options);
}

async function runOptimize(options: OptimizeOptions): Promise<string> {
  refuseSameFile(options.svg, { 'the input': options.csv, 'the output': options.output });
  refuseSameFile(options.output, { 'the input': options.csv });
  try {
    const input = await readInput(options);
    const result = optimize(input.request);
    if (options.svg !== undefined) replaceFile(options.svg, tradeOffSvg(result, input.request.goal));
    if (options.output !== undefined) {
      const rows = result.configurations.map(configurationRow);
      await writeTable(options.output, () => rows);
    }
    if (options.json === true) return JSON.stringify(optimizeJson(input, result));
    return optimizeTable(input, result);
  } catch (error) {
    return refuseOption('optimize', error);
  }
}

async function readInput(options: OptimizeOptions): Promise<OptimizeInput> {
  const count = (name: string, text: string, most: bigint): number =>
    Number(integerParameter(name, text, 1n, most));
  const maxReports =
    options.maxReports === undefined ? null : count('max-reports', options.maxReports, MAX_REPORTS);
  const maxBuckets =
    options.maxBuckets === undefined
      ? Math.min(DEFAULT_BUCKETS, maxReports ?? DEFAULT_BUCKETS)
      : count('max-buckets', options.maxBuckets, BigInt(maxReports ?? MAX_REPORTS));
  const windowCount = count('windows', options.windows, MAX_WINDOWS);
  if (windowCount > 1 && options.delayColumn === undefined)
    throw new InputError(`optimize: --windows must be 1 without --delay-column, was "${options.windows}"`);
  const settings = {
    epsilon: settableEpsilon(options.epsilon),
    sourceType: options.sourceType,
    goal: options.for,
    loss: options.loss,
    maxBuckets,
    maxReports,
    triggerData: count('trigger-data', options.triggerData, MAX_TRIGGER_DATA),
    sources: count('sources', options.sources, BigInt(Number.MAX_SAFE_INTEGER)),
  };
  const past = await readPast(options);
  const windows = past === null || past.delays.size === 0 ? null : bestWindows(past.delays, windowCount);
  const prior = past === null ? null : privatePriorOf(options, past);
  const distribution =
    past === null
      ? givenDistribution(options.values ?? [], options.prior ?? [])
      : pastDistribution(prior?.counts ?? past.values);
  return {
    request: { ...settings, distribution, windowEnds: windows?.ends ?? [LAST_SECOND] },
    past,
    prior,
    windows,
  };
}

function privatePriorOf(
  { values = [], priorEpsilon, seed }: OptimizeOptions,
  past: PastConversions,
): PrivatePrior | null {
  if (priorEpsilon === undefined) return null;
  const epsilon = positive('prior-epsilon', priorEpsilon);
  return {
    epsilon: epsilon.toNumber(),
    counts: privateCounts(past.values, countedValues(values), epsilon, randomFor(seed)(0)),
  };
}

/** Reads the file of `--csv`; null if the distribution is given instead. */
async function readPast(options: OptimizeOptions): Promise<PastConversions | null> {
  const { values, prior, csv, column, delayColumn, priorEpsilon } = options;
  if (priorEpsilon !== undefined) {
    if (
      csv === undefined ||
      column === undefined ||
      values === undefined ||
      (prior ?? delayColumn) !== undefined
    )
      throw new InputError(
        'optimize: --prior-epsilon: must come with --csv, --column and --values, and without --prior and --delay-column (delays are not counted privately)',
      );
    return readPastConversions(new InputFiles(csv), { value: column, delay: null });
  }
  if (values !== undefined && prior !== undefined && (csv ?? column ?? delayColumn) === undefined)
    return null;
  if (csv === undefined || column === undefined || (values ?? prior) !== undefined)
    throw new InputError('optimize: needs either --values and --prior, or --csv and --column');
  return readPastConversions(new InputFiles(csv), { value: column, delay: delayColumn ?? null });
}
