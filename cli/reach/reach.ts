import { Option } from 'commander';
import { Impressions, type Bounds } from '../../analysis/reach/impressions';
import { reachMethods, type ReachMethod } from '../../analysis/reach/methods';
import { reachRows, type ReachRow } from '../../analysis/reach/reach-rows';
import { CellError, missing, plainCell, type Cells } from '../../analysis/simulation/cells';
import { isGap } from '../../formats/csv/gap';
import type { JsonObject } from '../../src/model/json';
import type { SourceType } from '../../src/model/limits';
import { integerParameter } from '../../analysis/noise/parameters';
import { randomUuid } from '../../src/privacy/uniform';
import type { DefineCommand } from '../io/define';
import { columnsText, groupText, readGroups, type GroupColumns } from './given-groups';
import { InputError, openShareOption, refuseOption } from '../io/input';
import { InputFiles } from '../io/input-files';
import { readingProgress, showProgress } from '../io/progress';
import { randomFor } from '../io/random';
import { eachRow } from '../io/rows';
import { refuseSameFile } from '../io/same-file';
import { sourceTypeOption } from '../io/source-type-option';
import { writeTable } from '../io/table-file';
import { say } from '../io/terminal';

interface ReachCommandOptions {
  readonly sources: readonly string[];
  readonly by: ReachMethod;
  readonly person: string;
  readonly publisher?: string;
  readonly groupBy: readonly string[];
  readonly groups?: string;
  readonly sourceType?: SourceType;
  readonly epsilon?: string;
  readonly cap: string;
  readonly frequencies: string;
  readonly registers: string;
  readonly level: string;
  readonly seed?: string;
  readonly output?: string;
}

/** `cointoss reach`: how many people saw ads, and how often; see docs/reach.md. */
export const define: DefineCommand = (command, { print }) => {
  command
    .requiredOption(
      '--sources <files...>',
      'impressions, one per row, such as from simulate --with-users --sources-output: NDJSON, CSV, TSV or Parquet; files or folders, or -',
    )
    .addOption(new Option('--by <method>', 'how to count').choices(reachMethods).default('exact'))
    .option('--person <column>', 'the column with the person', 'user')
    .option('--publisher <column>', 'the column with the publisher; by default there is only one')
    .addOption(
      new Option('--group-by <columns>', 'columns to count by, separated by commas')
        .argParser((text: string) => text.split(',').filter((name) => name !== ''))
        .default([], 'none'),
    )
    .option('--groups <file>', 'with noise and --group-by: the groups to count, one per row')
    .addOption(sourceTypeOption())
    .option('--epsilon <epsilon>', 'greater than 0; for all but exact')
    .option(
      '--cap <count>',
      'a person counts in at most this many groups, the first ones; not for exact',
      '1',
    )
    .option(
      '--frequencies <count>',
      'the greatest number of impressions of a person; more count as this number',
      '5',
    )
    .option('--registers <count>', 'number of registers of a sketch', '16384')
    .option('--level <level>', 'confidence level of the intervals', '0.95')
    .option('--seed <seed>', 'make the noise repeatable')
    .option('--output <file>', 'write the rows into a file instead: .csv, .tsv, .parquet or .ndjson')
    .action(async (options: ReachCommandOptions) => {
      const { output } = options;
      refuseSameFile(output, { 'the sources': options.sources, 'the groups': options.groups });
      const rows = await reach(options);
      if (output === undefined) for (const row of rows) print(JSON.stringify(row));
      else await writeTable(output, () => rows);
    });
};

async function reach(options: ReachCommandOptions): Promise<readonly JsonObject[]> {
  try {
    const { by, epsilon, groupBy } = options;
    if ((by === 'exact') !== (epsilon === undefined))
      throw new InputError('reach: --epsilon: must be given with noise, and not with --by exact');
    const level = openShareOption('reach', 'level', options.level);
    const cap = whole('cap', options.cap, 1_000_000n);
    const random = randomFor(options.seed)(0);
    const numbers = {
      most: whole('frequencies', options.frequencies, 1000n),
      cap,
      epsilon: epsilon ?? '1',
      level,
      registers: whole('registers', options.registers, 10_000_000n),
      key: randomUuid(random),
    };
    const impressions = await readImpressions(options, cap);
    const rows = reachRows(by, impressions.slices(), numbers, random);
    if (impressions.leftOut > 0) say(`reach: ${impressions.leftOut} impressions beyond --cap left out`);
    return rows.map((row) => cellsOf(row, by, groupBy));
  } catch (error) {
    return refuseOption('reach', error);
  }
}

const whole = (name: string, text: string, most: bigint): number =>
  Number(integerParameter(name, text, 1n, most));

/** If a group has the name of another column, the group comes first. */
const cellsOf = (
  { group, interval: [low, high], share, ...row }: ReachRow,
  by: ReachMethod,
  columns: readonly string[],
): JsonObject => ({
  by,
  ...row,
  low,
  high,
  share: share?.estimate ?? null,
  share_low: share?.interval[0] ?? null,
  share_high: share?.interval[1] ?? null,
  ...Object.fromEntries(columns.map((column, index) => [column, group[index] ?? ''])),
});

/** The groups that must be given, so that noise hides who is in the data. Flipped sketches have separate noise for each publisher. */
function groupColumnsOf({ by, groupBy, publisher }: ReachCommandOptions): GroupColumns {
  return { group: groupBy, publisher: by === 'flipped-sketch' ? (publisher ?? null) : null };
}

/** Null without noise. @throws InputError unless the groups are given, or there is only one */
async function boundsOf(options: ReachCommandOptions, cap: number): Promise<Bounds | null> {
  const { by, groups } = options;
  const columns = groupColumnsOf(options);
  if (by === 'exact') {
    if (groups !== undefined) throw new InputError('reach: --groups: must not be given with --by exact');
    return null;
  }
  // Each flipped sketch has its noise, so a group without any would have none.
  const unnamed = by === 'flipped-sketch' ? [''] : null;
  const isOne = columns.group.length === 0 && columns.publisher === null;
  if (isOne && groups !== undefined) throw new InputError('reach: --groups: needs --group-by');
  if (isOne) return { cap, groups: [{ group: [], publishers: unnamed }] };
  if (groups === undefined)
    throw new InputError(
      `reach: --groups: must be given, a file with ${columnsText(columns)}: groups taken from the data would reveal who is in them`,
    );
  return { cap, groups: await readGroups(groups, columns, unnamed) };
}

/** @throws InputError for a missing value or a number that has lost digits: it would make one person of many. */
function personIn(column: string, cells: Cells, place: string): string {
  try {
    const who = plainCell(column, cells(column));
    if (!isGap(who)) return who;
    throw missing(column, 'the name of the person', who);
  } catch (error) {
    throw error instanceof CellError ? new InputError(`${place}: ${error.message}`) : error;
  }
}

async function readImpressions(options: ReachCommandOptions, cap: number): Promise<Impressions> {
  const { sources, person, publisher, groupBy, groups, sourceType } = options;
  const impressions = new Impressions(await boundsOf(options, cap));
  const columns = groupColumnsOf(options);
  const input = new InputFiles(sources);
  const read = readingProgress([input]);
  const stopShowing = showProgress(() => `impressions${read()}`);
  const typeColumn = sourceType === undefined ? [] : ['source_type'];
  const wanted = [person, ...(publisher === undefined ? [] : [publisher]), ...groupBy, ...typeColumn];
  try {
    for await (const { place, cells } of eachRow(input, { wanted })) {
      if (sourceType !== undefined && cells('source_type') !== sourceType) continue;
      const who = personIn(person, cells, place);
      const group = groupBy.map(cells);
      const by = publisher === undefined ? '' : cells(publisher);
      if (!impressions.isExpected(group, by))
        throw new InputError(
          `${place}: ${groupText(columns, cells)} must be one of the groups in ${groups ?? ''}: add a row for it`,
        );
      impressions.add(group, by, who);
    }
  } finally {
    stopShowing();
  }
  return impressions;
}
