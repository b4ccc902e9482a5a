import { english } from '../words/english';
import { Option } from 'commander';
import { analyse, type AnalysisOptions } from '../analysis/estimate/analysis';
import { Join, type JoinOptions } from '../analysis/estimate/join';
import { estimateResult } from '../analysis/estimate/estimate-result';
import { resultJson, type EstimateResult } from '../analysis/estimate/result-json';
import type { Json } from '../src/model/json';
import { seconds } from '../src/model/units';
import { ParameterError } from '../src/privacy/parameters';
import { parse, type Parsed } from '../src/parsing/issues';
import { time } from '../src/parsing/time';
import { collectedReport, kindOfLine } from '../src/wire/report-line';
import { SourceRows } from './estimate-rows';
import type { DefineCommand } from './define';
import { resultTable } from './estimate-table';
import { accept, InputError } from './input';
import { rowsOf } from './rows';
import { collectedLine } from './simulated-report';

interface EstimateCommandOptions {
  readonly reports: string;
  readonly sources: string;
  readonly groupBy: readonly string[];
  readonly level: string;
  readonly likelihood?: boolean;
  readonly states?: boolean;
  readonly sampling?: boolean;
  readonly asOf?: string;
  readonly skew: string;
  readonly json?: boolean;
  readonly table?: boolean;
}

/** `cointoss estimate`: estimates what happened from noisy reports and a source log. */
export const define: DefineCommand = (command, { print }) => {
  command
    .requiredOption(
      '--reports <file>',
      "reports as the collector's /reports or simulate gives them (NDJSON), or -",
    )
    .requiredOption(
      '--sources <file>',
      'the sources that were registered (NDJSON, or CSV if the name ends in .csv), or -',
    )
    .addOption(
      new Option('--group-by <columns>', 'columns of the source log, separated by commas')
        .argParser((text: string) => text.split(',').filter((name) => name !== ''))
        .default([], 'none'),
    )
    .option('--level <level>', 'confidence level of the intervals', '0.95')
    .option('--sampling', 'treat the choice of users as random, too, not only the noise')
    .option(
      '--likelihood',
      'add estimates by maximum likelihood: biased, but with smaller errors, and they add up',
    )
    .option('--states', 'also estimate how many sources have each observed output')
    .option('--as-of <time>', 'leave out sources with a report window open at that time')
    .option('--skew <seconds>', "how far the log's clock may differ from the browsers'", '60')
    .addOption(new Option('--json', 'print JSON (the default)').conflicts('table'))
    .option('--table', 'print tables for people')
    .action(async (options: EstimateCommandOptions) => {
      const result = await estimateCommand(options);
      if (options.table === true) for (const line of resultTable(result)) print(line);
      else print(JSON.stringify(estimateResult.write(resultJson(result))));
    });
};

async function estimateCommand(options: EstimateCommandOptions): Promise<EstimateResult> {
  const analysisOptions = analysisOptionsOf(options);
  const join = new Join(joinOptionsOf(options));
  if (options.sources === '-' && options.reports === '-')
    throw new InputError('--reports: must not be standard input when --sources is');
  await readSources(options, join);
  const otherKinds = await readReports(options.reports, join);
  const { configurations, counts, completeUntil } = join.result();
  return {
    options: analysisOptions,
    groupBy: options.groupBy,
    asOf: completeUntil === null ? null : new Date(completeUntil).toISOString(),
    counts,
    otherKinds,
    configurations: configurations.map((tally) => ({ tally, analysis: analyse(tally, analysisOptions) })),
  };
}

async function readSources({ sources: file, groupBy }: EstimateCommandOptions, join: Join): Promise<void> {
  const rows = new SourceRows(groupBy);
  for await (const { line, value } of rowsOf(file)) {
    const source = accept(`${file}: line ${line}`, rows.parse(value));
    try {
      join.addSource(source);
    } catch (error) {
      if (error instanceof ParameterError)
        throw new InputError(
          `${file}: line ${line}: ${fieldOf(error)}: ${english.issueSentence(error.issue)}`,
        );
      throw error;
    }
  }
  const missing = rows.missing();
  if (missing !== undefined)
    throw new InputError(`${file}: line 1: must have the field "${missing}", which no other row has either`);
}

/** Every parameter but ε belongs to the mechanism. */
const fieldOf = ({ parameter }: ParameterError): string =>
  parameter === 'epsilon' ? 'epsilon' : 'mechanism';

/** @returns how many lines are not event-level reports, by kind. */
async function readReports(file: string, join: Join): Promise<ReadonlyMap<string, number>> {
  const otherKinds = new Map<string, number>();
  for await (const { line, value } of rowsOf(file)) {
    const report = collectedLine(value);
    const kind = kindOfLine(report);
    if (typeof kind === 'string' && kind !== 'event-level')
      otherKinds.set(kind, (otherKinds.get(kind) ?? 0) + 1);
    else join.addReport(accept(`${file}: line ${line}`, parse(report, collectedReport.parse)));
  }
  return otherKinds;
}

function analysisOptionsOf({ level, sampling, likelihood, states }: EstimateCommandOptions): AnalysisOptions {
  const confidence = Number(level);
  if (!(confidence > 0 && confidence < 1))
    throw new InputError(`--level: must be greater than 0 and less than 1, was "${level}"`);
  return {
    level: confidence,
    randomness: sampling === true ? 'noise-and-sampling' : 'noise',
    likelihood: likelihood === true,
    singles: states === true,
  };
}

function joinOptionsOf({ skew, asOf }: EstimateCommandOptions): JoinOptions {
  if (!/^\d{1,9}$/.test(skew)) throw new InputError(`--skew: must be whole seconds, was "${skew}"`);
  return {
    skew: seconds(Number(skew)),
    completeUntil: asOf === undefined ? null : acceptOption('--as-of', parse(asOf as Json, time)),
  };
}

const acceptOption = <T>(name: string, parsed: Parsed<T>): T => accept(name, parsed);
