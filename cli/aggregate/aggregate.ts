import { createHash } from 'node:crypto';
import path from 'node:path';
import { Option } from 'commander';
import { summaryNoise, type SummaryNoise } from '../../analysis/aggregate/noise';
import { inClear, unsealed } from '../../analysis/aggregate/batch';
import { bucket } from '../../analysis/aggregate/summary';
import { sync } from '../../node/files';
import { openWithOpenSsl } from '../../node/sealing';
import type { AggregatableApi } from '../../formats/reports/aggregatable-report';
import type { JsonObject } from '../../src/model/json';
import { uint64 } from '../../formats/codec/codec';
import { parse } from '../../formats/codec/issues';
import { readBatch, readBuckets } from './input';
import { answer, answerRows, QUESTIONS, questionText, readQuestion, type QuestionOptions } from './answers';
import { averageRows, readAverages } from './averages';
import { defineW3c } from './w3c';
import { readTree, treeRows } from './tree';
import { addKey, readPrivateKeys } from '../io/aggregation-keys';
import { AggregationLedger } from './ledger';
import type { DefineCommand } from '../io/define';
import { accept, InputError, openShareOption, refuseOption, splitList } from '../io/input';
import { isContinuable } from '../io/output';
import { randomFor } from '../io/random';
import { refuseSameFile } from '../io/same-file';
import { writeTable } from '../io/table-file';
import { say } from '../io/terminal';

interface AggregateOptions extends QuestionOptions {
  readonly newKey?: string;
  readonly reports?: readonly string[];
  readonly keys?: string;
  readonly cleartext?: boolean;
  readonly buckets?: string;
  readonly tree?: boolean;
  readonly slices?: readonly string[];
  readonly averages?: boolean;
  readonly keyDiscovery?: string;
  readonly epsilon: string;
  readonly level: string;
  readonly filteringIds: string;
  readonly api: AggregatableApi;
  readonly reportingOrigin?: string;
  readonly errorThreshold: string;
  readonly ledger?: string;
  readonly output?: string;
}

/** `cointoss aggregate`: makes a summary report of aggregatable reports, as the aggregation service of browsers did. */
export const define: DefineCommand = (command, { print }) => {
  command.enablePositionalOptions();
  defineW3c(command.command('w3c'), print);
  command
    .option('--new-key <file>', 'add a key to a file of private keys, and print the public keys to serve')
    .option(
      '--reports <files...>',
      "aggregatable reports from the collector's /reports or from simulate: NDJSON; files or folders, or -",
    )
    .option('--keys <file>', 'the file of private keys')
    .option(
      '--cleartext',
      'read the unencrypted copies of debug mode (debug_cleartext_payload), without --keys',
    )
    .option('--buckets <file>', 'the expected buckets: rows with a column "bucket", such as 0x1f')
    .option('--tree', 'the expected buckets have the columns "parent" and "unit": add consistent estimates')
    .option('--averages', 'the expected buckets have the columns "count" and "unit": add average values')
    .option(
      '--bins <cuts>',
      'report only which bin each expected bucket is in, by randomized response; bins begin at these sums',
      splitList,
    )
    .option(
      '--largest',
      'report only which expected bucket has the largest sum, by the exponential mechanism',
    )
    .option(
      '--surely-largest <delta>',
      'the same, but only if no source could change it, by propose-test-release, for (ε, δ)-privacy',
    )
    .option(
      '--first-above <sum>',
      'report only the first expected bucket whose sum reaches this, by the sparse vector technique',
    )
    .option('--slices <columns>', 'with --tree, also sums of the leaves by each of these columns', splitList)
    .option(
      '--key-discovery <delta>',
      'also report unexpected buckets with a large value, for (ε, δ)-privacy',
    )
    .option('--epsilon <epsilon>', 'the privacy parameter of the noise, whose scale is 65,536/ε', '10')
    .option('--level <level>', 'confidence level of the intervals', '0.95')
    .option('--filtering-ids <ids>', 'count contributions with these filtering ids, separated by commas', '0')
    .addOption(
      new Option('--api <api>', 'count reports of attributions, or aggregatable debug reports')
        .choices(['attribution-reporting', 'attribution-reporting-debug'] satisfies AggregatableApi[])
        .default('attribution-reporting'),
    )
    .option(
      '--reporting-origin <origin>',
      'leave out reports of other origins; by default there must be none',
    )
    .option('--error-threshold <percent>', 'the percentage of reports that may be unreadable', '10')
    .option(
      '--ledger <folder>',
      'the folder that stores which reports were aggregated; by default KEYS.ledger',
    )
    .option('--output <file>', 'write the summary as .csv, .tsv, .parquet or .ndjson, instead of printing it')
    .action(async (options: AggregateOptions) => {
      if (options.newKey === undefined) await aggregate(options, print);
      else print(JSON.stringify(addKey(options.newKey)));
    });
};

async function aggregate(options: AggregateOptions, print: (line: string) => void): Promise<void> {
  const { reports, keys, cleartext: isClear = false, buckets, keyDiscovery, output } = options;
  if (reports === undefined || isClear === (keys !== undefined))
    throw new InputError('aggregate: must have --reports, and --keys or --cleartext; or --new-key');
  const ledgerFolder = options.ledger ?? (keys === undefined ? null : `${keys}.ledger`);
  if (ledgerFolder === null) throw new InputError('aggregate: --cleartext: must come with --ledger');
  if (buckets === undefined && keyDiscovery === undefined)
    throw new InputError('aggregate: must have --buckets, --key-discovery or both');
  const { tree: isTree = false, slices = [] } = options;
  if ((isTree && buckets === undefined) || (slices.length > 0 && !isTree))
    throw new InputError('aggregate: --tree must come with --buckets, and --slices with --tree');
  const { averages: isAveraged = false } = options;
  if (isAveraged && (buckets === undefined || isTree))
    throw new InputError('aggregate: --averages must come with --buckets, and without --tree');
  const question = readQuestion(options);
  if (question.kind !== 'sums' && (keyDiscovery !== undefined || isTree || isAveraged))
    throw new InputError(`aggregate: ${QUESTIONS} must come without --key-discovery, --tree and --averages`);
  refuseSameFile(output, { 'the reports': reports, 'the keys': keys, 'the buckets': buckets });
  const noise = noiseOf(options.epsilon);
  const summary = {
    expected: buckets === undefined ? new Set<bigint>() : await readBuckets(buckets),
    discoveryDelta:
      keyDiscovery === undefined ? null : openShareOption('aggregate', 'key-discovery', keyDiscovery),
    level: openShareOption('aggregate', 'level', options.level),
  };
  if (question.kind !== 'sums' && summary.expected.size === 0)
    throw new InputError('aggregate: --buckets: must have a bucket, to ask about');
  const tree = isTree && buckets !== undefined ? await readTree(buckets, slices) : null;
  const averages = isAveraged && buckets !== undefined ? await readAverages(buckets) : null;
  const { api, reportingOrigin = null } = options;
  const filteringIds = filteringIdsOf(options.filteringIds);
  say(
    keys === undefined
      ? 'these copies are neither sealed nor signed: whoever sent the reports can read and change them'
      : `this is no trusted execution environment: whoever has ${keys} can read every report`,
  );
  const { batch, digest } = await readBatch(
    reports,
    {
      api,
      reportingOrigin,
      filteringIds,
      read: keys === undefined ? inClear : unsealed(readPrivateKeys(keys), openWithOpenSsl),
    },
    percentOption('error-threshold', options.errorThreshold),
  );
  const expected = [...summary.expected].map(bucket.write).sort();
  const decides = [
    digest,
    filteringIds.map(String),
    options.epsilon,
    { ...summary, expected, question: questionText(question) },
  ];
  const job = {
    id: createHash('sha256').update(JSON.stringify(decides)).digest('hex'),
    sharedIds: [...batch.sharedIds],
  };
  const ledger = await AggregationLedger.open(ledgerFolder);
  try {
    const random = randomFor(undefined)(0);
    const rows = ledger.result(job, () =>
      answer(question, batch.sums, options.epsilon, noise, summary, random),
    );
    await publish(
      tree !== null
        ? treeRows(rows, tree, summary.level)
        : averages !== null
          ? averageRows(rows, averages, noise, summary.level)
          : answerRows(question, rows),
      output,
      print,
    );
    ledger.finish(job);
  } finally {
    await ledger.close();
  }
}

/** Prints the rows, or writes them to a durable file. */
async function publish(
  rows: readonly JsonObject[],
  output: string | undefined,
  print: (line: string) => void,
): Promise<void> {
  if (output === undefined) {
    for (const row of rows) print(JSON.stringify(row));
    return;
  }
  await writeTable(output, () => rows);
  if (isContinuable(output)) sync(path.dirname(output));
}

function noiseOf(epsilon: string): SummaryNoise {
  try {
    return summaryNoise(epsilon);
  } catch (error) {
    return refuseOption('aggregate', error);
  }
}

function percentOption(name: string, text: string): number {
  const percent = Number(text);
  if (text !== '' && percent >= 0 && percent <= 100) return percent / 100;
  throw new InputError(`aggregate: --${name}: must be a number from 0 to 100, was "${text}"`);
}

const filteringIdsOf = (text: string): readonly bigint[] =>
  [...new Set(text.split(','))].map((id) => accept('aggregate: --filtering-ids', parse(id, uint64)));
