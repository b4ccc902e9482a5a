import { Option } from 'commander';
import { histogramMechanisms } from '../../analysis/histograms/mechanisms';
import type { PriorCost } from '../../analysis/optimize/private-prior';
import type { AllocationPolicy } from '../../analysis/simulation/allocation';
import { matchingMechanisms } from '../../analysis/simulation/matching';
import type { DefineCommand } from '../io/define';
import { planOf, type Api, type SimulateOptions } from './options';
import { withPriorOf } from './prior';
import { simulateCommand } from './run';
import { simulateW3c } from './w3c';

/** `cointoss simulate`: runs the logs of many users through the engine; see docs/simulate.md. */
export const define: DefineCommand = (command) => {
  command
    .requiredOption(
      '--input <files...>',
      'events, one line of JSON each, or Parquet; files or folders, or - for standard input; may be .gz or .zst',
    )
    .requiredOption(
      '--output <file>',
      'reports, one line of JSON each, or - for standard output; .csv, .tsv, .parquet, .gz and .zst as named',
    )
    .addOption(
      new Option('--api <api>', 'Attribution Reporting, or W3C Attribution; see docs/w3c.md')
        .choices(['ara', 'w3c'] satisfies Api[])
        .default('ara' satisfies Api),
    )
    .option('--sources-output <file>', 'write the log of the stored sources, which estimate reads')
    .option('--threads <count>', 'how many threads; by default as many as the machine has')
    .option('--seed <seed>', 'make the noise and the report ids repeatable')
    .option(
      '--source-epsilon <epsilon>',
      'the ε that all sources register, in place of their event_level_epsilon',
    )
    .option('--no-noise', 'disable noise, except where the log forces an output')
    .option(
      '--settings <file>',
      "the extension's settings, or a trial with its settings; by default the defaults with Chromium's delivery",
    )
    .addOption(
      new Option('--allocation <policy>', 'how impressions share the privacy budget of a unit')
        .choices(['per-cap', 'per-count', 'random-cap'] satisfies AllocationPolicy[])
        .default('per-cap' satisfies AllocationPolicy),
    )
    .addOption(
      new Option(
        '--matching <mechanism>',
        'credit each click with at most one conversion, by the private attribution of the settings',
      ).choices(matchingMechanisms),
    )
    .option(
      '--prior-file <file>',
      'past sources, one per row, for the prior of the label noise: a file, or - for CSV from standard input',
    )
    .option('--prior-column <name>', 'the column with their values; for rr-with-prior, with their states')
    .option('--prior-epsilon <epsilon>', 'the ε with which they are counted')
    .addOption(
      new Option(
        '--prior-split <split>',
        'people: the rows are of other people; budget: of these people, out of their budget',
      )
        .choices(['people', 'budget'] satisfies PriorCost['split'][])
        .default('people' satisfies PriorCost['split']),
    )
    .option(
      '--map <file>',
      'the file that says which events the rows of a CSV, TSV, Parquet or NDJSON file are',
    )
    .option('--csv', 'the rows are CSV whatever the name of the input; needs --map')
    .option(
      '--skip-invalid',
      'leave out and count rows that do not fit --map, and go on without a valid source',
    )
    .option('--unsorted', 'sort the events by user and time first')
    .option(
      '--shard <i/n>',
      'only the users in shard i of n, from 0/n; needs --seed; see "cointoss shard --help"',
    )
    .option('--resume', 'continue an output that is not complete')
    .option(
      '--aggregation-key <file>',
      'also write aggregatable reports, sealed for one of the public keys that cointoss aggregate --new-key printed',
    )
    .option('--with-users', 'add the user to each report (no collector would know)')
    .option('--summary <file>', 'write a summary of everything as JSON')
    .option(
      '--compare <file>',
      'write how attribution models, learned ones among them, credit channels; see docs/credits.md',
    )
    .option(
      '--histogram <file>',
      'write how many people converted first after which channel, with the noise of --mechanism; see docs/histograms.md',
    )
    .addOption(
      new Option('--mechanism <names...>', 'who adds which noise to the histogram').choices(
        histogramMechanisms,
      ),
    )
    .option('--epsilon <epsilon>', 'the ε of each mechanism, greater than 0 and at most 100')
    .option('--delta <delta>', 'for shuffled-rr and discrete-gaussian; by default 1e-6')
    .option(
      '--channel <column>',
      'the column of the source log that has the channels of --compare and --histogram; by default campaign',
    )
    .action(async (options: SimulateOptions) => {
      if (options.api === 'w3c') await simulateW3c(options);
      else await simulateCommand(await withPriorOf(options, planOf(options)));
    });
};
