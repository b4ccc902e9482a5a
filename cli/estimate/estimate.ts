import { Option } from 'commander';
import type { AnalysisOptions } from '../../analysis/estimate/result/analysis';
import type { JoinOptions } from '../../analysis/estimate/join/join';
import type { LogJoin } from '../../analysis/estimate/result/log-join';
import { resultJson, shownEstimate } from '../../analysis/estimate/result/result-json';
import { statistics, type Statistics } from '../../analysis/estimate/result/statistics';
import { lostOf, type LostReports } from '../../analysis/estimate/unbiased/lost-reports';
import { contradictRates, noneJoins, unjoinedReports } from '../../analysis/estimate/result/unjoined';
import type { Json } from '../../src/model/json';
import { seconds } from '../../src/model/units';
import { parse, type Parsed } from '../../formats/codec/issues';
import { time } from '../../formats/codec/time';
import { estimatedRows } from './rows';
import type { DefineCommand } from '../io/define';
import type { EstimateResult } from '../../analysis/estimate/result/result-json';
import { jsonOf } from './campaigns-json';
import { liftLines, liftsOf } from './lifts';
import { joinInOrder, joinInParts } from './join-logs';
import { readPosted } from './posted';
import { shownEstimates } from './progress';
import { alikeLines } from './rank-lines';
import { clocksText, contradictionOf, otherRatesText, resultTable } from './table';
import { accept, InputError, readJson, threadsOption } from '../io/input';
import { InputFiles } from '../io/input-files';
import { jsonBytes } from '../io/json-bytes';
import { limitHeap } from '../io/memory';
import { replaceFile } from '../io/output';
import { sayNoRows } from '../io/rows';
import { refuseSameFile } from '../io/same-file';
import { writeTable } from '../io/table-file';
import { say } from '../io/terminal';

interface EstimateCommandOptions {
  readonly reports?: readonly string[];
  readonly sources?: readonly string[];
  readonly statistics?: string;
  readonly statisticsOutput?: string;
  readonly groupBy: readonly string[];
  readonly level: string;
  readonly likelihood?: boolean;
  readonly states?: boolean;
  readonly noiseOnly?: boolean;
  readonly asOf?: string;
  readonly skew?: string;
  readonly lost?: string;
  readonly json?: boolean;
  readonly table?: boolean;
  readonly output?: string;
  readonly summary?: string;
  readonly histogram?: string;
  readonly holdout?: string;
  readonly arms?: string;
  readonly threads?: string;
}

/** `cointoss estimate`: estimates what happened from noisy reports and a source log. */
export const define: DefineCommand = (command, { print }) => {
  command
    .option(
      '--reports <files...>',
      "reports from the collector's /reports or from simulate: NDJSON, CSV, TSV or Parquet; files or folders, or -",
    )
    .option('--sources <files...>', 'the sources that were registered, in the same formats, or -')
    .option(
      '--statistics <file>',
      'the output of --statistics-output or merge, instead of reports and sources',
    )
    .option('--statistics-output <file>', 'also write the counts behind the estimates; merge adds them up')
    .addOption(
      new Option('--group-by <columns>', 'columns of the source log, separated by commas')
        .argParser((text: string) => text.split(',').filter((name) => name !== ''))
        .default([], 'none'),
    )
    .option('--level <level>', 'confidence level of the intervals', '0.95')
    .option('--noise-only', 'intervals for these users: only the noise is random, not the choice of users')
    .option(
      '--likelihood',
      'add estimates by maximum likelihood: biased, but with smaller errors, and they add up',
    )
    .option('--states', 'also estimate the number of sources for each observed output')
    .option('--as-of <time>', 'leave out sources with a report window that is open at this time')
    .option('--skew <seconds>', "how far the log's clock may differ from the browsers'; by default 60")
    .option(
      '--lost <share>',
      'the share of reports that never arrive: 0.05, or 100/2000 if 100 of 2000 expected reports did not arrive',
    )
    .addOption(new Option('--json', 'print JSON (the default)').conflicts('table'))
    .option('--table', 'print tables')
    .option(
      '--summary <file>',
      'with --group-by, add the conversions by a summary report: the output of aggregate --tree --slices',
    )
    .option(
      '--histogram <file>',
      'the same by a W3C histogram: the output of aggregate w3c --buckets --slices',
    )
    .option(
      '--holdout <share>',
      'with --group-by arm, compare the groups "exposed" and "holdout": the share of the people who were held out',
    )
    .option(
      '--arms <trigger data>',
      'with --holdout, instead of groups: the trigger data of the exposed arm and of the holdout arm, as 0,1',
    )
    .option(
      '--threads <count>',
      `number of threads; by default one per processor, but at most ${MOST_THREADS}`,
    )
    .option('--output <file>', 'write the estimates as rows instead: .csv, .tsv, .parquet or .ndjson')
    .action(async (options: EstimateCommandOptions) => {
      const { output } = options;
      for (const written of [output, options.statisticsOutput])
        refuseSameFile(written, {
          'the reports': options.reports,
          'the sources': options.sources,
          'the statistics': options.statistics,
        });
      const analysisOptions = analysisOptionsOf(options);
      limitHeap();
      const counted = await statisticsOf(options);
      if (options.statisticsOutput !== undefined)
        replaceFile(options.statisticsOutput, jsonBytes(`${JSON.stringify(statistics.write(counted))}\n`));
      if (contradictRates(counted.reports)) say(otherRatesText(counted.reports));
      const result = await shownEstimates(counted, analysisOptions, threadsOf(options));
      const byClocks = clocksText(result);
      if (byClocks !== null) say(byClocks);
      const posted = await readPosted(options, result.groupBy[0]);
      const lifts = liftsOf(options, result, posted);
      const withheld = noneJoins(counted.reports) ? [] : sayContradictions(result);
      for (const [place, column] of result.groupBy.entries())
        for (const line of alikeLines(namesAt(result, place))) say(`--group-by ${column}: ${line}`);
      if (output !== undefined) {
        const rows = estimatedRows(resultJson(result));
        await writeTable(output, () => rows);
      } else if (options.table === true) {
        const [column = 'trigger data'] = result.groupBy;
        if (lifts !== null) for (const line of liftLines(lifts, column, analysisOptions.level)) print(line);
        for (const line of resultTable(result, posted)) print(line);
      } else print(JSON.stringify(jsonOf(result, posted, lifts)));
      if (noneJoins(counted.reports))
        throw new InputError('estimate: no report could be used, so nothing is estimated');
      const [name] = withheld;
      if (name !== undefined) {
        const others = withheld.length === 1 ? '' : ` and ${withheld.length - 1} more`;
        throw new InputError(
          `estimate: nothing is estimated of configuration ${name}${others}, as said above`,
        );
      }
    });
};

/** @returns the configurations of which this leaves no estimate at all */
function sayContradictions({ configurations, groupBy }: EstimateResult): readonly string[] {
  return configurations.flatMap(({ tally: { name }, analysis }) => {
    const contradiction = contradictionOf(analysis, groupBy);
    if (contradiction === null) return [];
    say(`configuration ${name}: ${contradiction}`);
    const hasNone = analysis.groups.every(({ estimates }) =>
      estimates.every(({ estimate }) => Number.isNaN(shownEstimate(estimate))),
    );
    return hasNone ? [name] : [];
  });
}

/** Each thread gets a copy of all counts and repeats the fit of all groups, so more would take memory and save hardly any time. */
const MOST_THREADS = 8;

const threadsOf = ({ threads }: EstimateCommandOptions): number => {
  const count = threadsOption('estimate', threads);
  return threads === undefined ? Math.min(count, MOST_THREADS) : count;
};

/** The values of a column of the groups. */
const namesAt = ({ configurations }: EstimateResult, place: number): ReadonlySet<string> =>
  new Set(
    configurations.flatMap(({ analysis }) =>
      analysis.groups.flatMap(({ group }) => group.slice(place, place + 1)),
    ),
  );

/** From files of earlier statistics, or from reports and sources. */
async function statisticsOf(options: EstimateCommandOptions): Promise<Statistics> {
  const { statistics: file, reports, sources, groupBy, asOf, skew } = options;
  if (file !== undefined) {
    const joined = { reports, sources, 'group-by': groupBy[0], 'as-of': asOf, skew };
    for (const [name, given] of Object.entries(joined))
      if (given !== undefined)
        throw new InputError(
          `estimate: --${name}: must not come with --statistics, which are already joined`,
        );
    const counted = accept(file, parse(readJson(file), statistics));
    sayUnjoined(counted.reports, null);
    return counted;
  }
  if (reports === undefined || sources === undefined)
    throw new InputError('estimate: must have --reports and --sources, or --statistics');
  if (sources.includes('-') && reports.includes('-'))
    throw new InputError('--reports: must not be standard input when --sources is');
  return joinLogs(new InputFiles(reports), new InputFiles(sources), options);
}

async function joinLogs(
  reports: InputFiles,
  sources: InputFiles,
  options: EstimateCommandOptions,
): Promise<Statistics> {
  const { groupBy, likelihood = false } = options;
  const joining = joinOptionsOf(options);
  const { completeUntil } = joining;
  const asOf = completeUntil === null ? null : new Date(completeUntil).toISOString();
  const setup = { groupBy, joining, asOf };
  const threads = threadsOf(options);
  const { counted, digitsLostIn } =
    (await joinInParts(sources, reports, setup, { likelihood, threads })) ??
    (await joinInOrder(sources, reports, setup, { likelihood, threads }));
  if (counted.sources.read === 0) sayNoRows(sources, 'the sources that were registered');
  sayUnjoined(counted.reports, digitsLostIn);
  if (counted.reports.read === 0 && Object.keys(counted.reports.other_kinds).length === 0)
    sayNoRows(reports, 'reports');
  return counted;
}

/**
 * Warns that most reports fit no source. Estimates from the others would be far too low.
 * @param rounded the log whose ids lost digits, if that is why. The few reports that still find a source, by chance, would say that hardly anybody
 * converted; if none does, the result says that itself.
 * @throws InputError
 */
function sayUnjoined(reports: Statistics['reports'], rounded: ReturnType<LogJoin['digitsLostIn']>): void {
  const { unknown, misfits, isMost } = unjoinedReports(reports);
  const read = reports.read - reports.duplicate;
  if (rounded !== null) {
    const text = `--${rounded}: source_event_id must have all its digits, but went through a floating-point number, so ${unknown} of ${read} reports belong to no source (write the column as text or integers)`;
    if (!noneJoins(reports)) throw new InputError(text);
    say(text);
  }
  if (!isMost) return;
  if (unknown > 0 && rounded === null)
    say(
      `${unknown} of ${read} reports belong to no source of the log: source_event_id, reporting_origin and destination must be as registered (an id with more than 15 digits must not go through a floating-point number)`,
    );
  if (misfits > 0)
    say(`${misfits} of ${read} reports do not fit their source: check its time and registration`);
}

function analysisOptionsOf({
  level,
  noiseOnly,
  likelihood,
  states,
  lost,
}: EstimateCommandOptions): AnalysisOptions {
  const confidence = Number(level);
  if (!(confidence > 0 && confidence < 1))
    throw new InputError(`--level: must be greater than 0 and less than 1, was "${level}"`);
  return {
    level: confidence,
    randomness: noiseOnly === true ? 'noise' : 'noise-and-sampling',
    likelihood: likelihood === true,
    singles: states === true,
    ...(lost === undefined ? {} : { lost: lostReportsOf(lost, confidence) }),
  };
}

function lostReportsOf(text: string, level: number): LostReports {
  const counted = /^(\d{1,9})\/(\d{1,9})$/.exec(text);
  const [missing, expected] = counted === null ? [NaN, NaN] : [Number(counted[1]), Number(counted[2])];
  if (missing < expected) return lostOf(missing, expected, level);
  const rate = counted === null && /^0?\.\d+$|^0$/.test(text) ? Number(text) : NaN;
  if (rate < 1) return { rate, range: [rate, rate], from: 'given' };
  throw new InputError(
    `--lost: must be a share from 0 to less than 1 as in 0.05, or missing and expected reports as in 100/2000, was "${text}"`,
  );
}

function joinOptionsOf({ skew = '60', asOf }: EstimateCommandOptions): JoinOptions {
  if (!/^\d{1,9}$/.test(skew)) throw new InputError(`--skew: must be whole seconds, was "${skew}"`);
  return {
    skew: seconds(Number(skew)),
    completeUntil: asOf === undefined ? null : acceptOption('--as-of', parse(asOf as Json, time)),
  };
}

const acceptOption = <T>(name: string, parsed: Parsed<T>): T => accept(name, parsed);
