import { createHash } from 'node:crypto';
import type { Command } from 'commander';
import { ServiceBatch, type BucketSum, type Rejection } from '../../analysis/w3c/service';
import { openWithOpenSsl } from '../../node/sealing';
import type { Rational } from '../../src/privacy/rational';
import { positive } from '../../src/privacy/parameters';
import type { SummaryRow } from '../../analysis/aggregate/summary';
import { uint64 } from '../../formats/codec/codec';
import { readReport } from '../../w3c/report';
import { readPrivateKeys } from '../io/aggregation-keys';
import { accept, InputError, openShareOption, refuseOption, splitList } from '../io/input';
import { InputFiles } from '../io/input-files';
import { randomFor } from '../io/random';
import { eachRow } from '../io/rows';
import { refuseSameFile } from '../io/same-file';
import { writeTable } from '../io/table-file';
import { say } from '../io/terminal';
import { AggregationLedger } from './ledger';
import { readTree, treeRows } from './tree';

interface W3cOptions {
  readonly reports: readonly string[];
  readonly keys: string;
  readonly epsilon: string;
  readonly ledger?: string;
  readonly buckets?: string;
  readonly slices?: readonly string[];
  readonly level: string;
  readonly output?: string;
}

/** `cointoss aggregate w3c`: adds up the reports of `measureConversion`, with noise; see docs/w3c.md. */
export function defineW3c(command: Command, print: (line: string) => void): void {
  command
    .description('add up reports of W3C Attribution instead; see docs/w3c.md')
    .requiredOption(
      '--reports <files...>',
      'the reports that pages receive, one per line; files or folders, or -',
    )
    .requiredOption('--keys <file>', 'the file of private keys')
    .option('--epsilon <epsilon>', 'the privacy parameter; each conversion must have paid at least this', '1')
    .option(
      '--ledger <folder>',
      'the folder that stores which reports were aggregated; by default KEYS.ledger',
    )
    .option('--buckets <file>', 'the meaning of buckets: rows with the columns "bucket", "parent" and "unit"')
    .option('--slices <columns>', 'with --buckets, sums by each of these columns', splitList)
    .option('--level <level>', 'with --buckets, the confidence level of the intervals', '0.95')
    .option('--output <file>', 'write the sums as .csv, .tsv, .parquet or .ndjson, instead of printing them')
    .action((options: W3cOptions) => aggregate(options, print));
}

async function aggregate(options: W3cOptions, print: (line: string) => void): Promise<void> {
  const { reports, keys, epsilon: written, ledger: folder, buckets, slices = [], output } = options;
  refuseSameFile(output, { 'the reports': reports, 'the keys': keys, 'the buckets': buckets });
  if (slices.length > 0 && buckets === undefined)
    throw new InputError('aggregate w3c: --slices must come with --buckets');
  const tree = buckets === undefined ? null : await readTree(buckets, slices, uint64);
  const level = openShareOption('aggregate w3c', 'level', options.level);
  const epsilon = epsilonOf(written);
  say(`this is no trusted execution environment: whoever has ${keys} can read every report`);
  const batch = new ServiceBatch(epsilon, readPrivateKeys(keys), openWithOpenSsl);
  for await (const { place, value } of eachRow(new InputFiles(reports)))
    await batch.add(accept(place, readReport(value)));
  tellCounts(batch.reportIds.size, batch.rejected);
  if (batch.task === null) throw new InputError('aggregate w3c: --reports: must have a report to count');
  const { length } = batch.task;
  const beyond = tree?.buckets.find(({ bucket }) => bucket >= length);
  if (beyond !== undefined)
    throw new InputError(
      `aggregate w3c: --buckets: bucket must be less than ${length}, the length of the histogram, was ${beyond.bucket}`,
    );
  // Each report counts once, so its id is spent.
  const sharedIds = [...batch.reportIds].sort();
  const job = {
    id: createHash('sha256')
      .update(JSON.stringify([sharedIds, written]))
      .digest('hex'),
    sharedIds,
  };
  const ledger = await AggregationLedger.open(folder ?? `${keys}.ledger`);
  try {
    const random = randomFor(undefined)(0);
    const sums = ledger.result(job, () => batch.publish(random).map(asSummary));
    const rows = tree === null ? sums.map(asSum) : treeRows(sums, tree, level);
    if (output === undefined) for (const row of rows) print(JSON.stringify(row));
    else await writeTable(output, () => rows.map((row) => ({ ...row })));
    ledger.finish(job);
  } finally {
    await ledger.close();
  }
}

function epsilonOf(written: string): Rational {
  try {
    return positive('epsilon', written);
  } catch (error) {
    return refuseOption('aggregate w3c', error);
  }
}

function tellCounts(accepted: number, rejected: ReadonlyMap<Rejection, number>): void {
  const left = [...rejected].map(([reason, count]) => `${count} ${reason}`).join(', ');
  say(`${accepted} reports counted${left === '' ? '' : `; left out: ${left}`}`);
}

/** As the ledger keeps it. */
const asSummary = ({ bucket, value, standard_error: standardError }: BucketSum): SummaryRow => ({
  bucket: BigInt(bucket),
  value,
  standardError,
  low: value,
  high: value,
  discovered: false,
});

const asSum = ({ bucket, value, standardError }: SummaryRow): BucketSum => ({
  bucket: Number(bucket),
  value,
  standard_error: standardError,
});
