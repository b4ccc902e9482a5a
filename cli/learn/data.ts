import type { Command } from 'commander';
import { columnsIn, parseDataMap, type DataMap } from '../../analysis/learn/data-map';
import { DataRows } from '../../analysis/learn/data-row';
import { madeUpRows } from '../../analysis/learn/made-up-rows';
import { remembered, rememberedByKey } from '../../src/model/remembered';
import { CellError, type Cells } from '../../analysis/simulation/cells';
import { addParts, tablesToCut, type Added } from './data-parts';
import { ExamplesFile } from './examples-file';
import { accept, InputError, integerOption, namesText, readJson, threadsOption } from '../io/input';
import { NameNumbers } from '../io/name-numbers';
import { readingProgress, showProgress } from '../io/progress';
import { refuseSameFile } from '../io/same-file';
import { InputFiles } from '../io/input-files';
import { readRows } from '../io/rows';
import { say } from '../io/terminal';

interface DataOptions {
  readonly input?: readonly string[];
  readonly madeUp?: string;
  readonly seed?: string;
  readonly map: string;
  readonly output: string;
  readonly threads?: string;
}

/** `cointoss learn data`: turns a log with features into examples. */
export const defineData = (command: Command): void => {
  command
    .description('turn a log with features into examples')
    .option('--input <files...>', 'NDJSON, CSV, TSV or Parquet; files or folders; may be compressed')
    .option('--made-up <rows>', 'instead of a log: so many made-up rows with the columns of the map')
    .option('--seed <text>', 'of the made-up rows; "0" unless given')
    .requiredOption('--map <file>', 'the file that describes the columns')
    .requiredOption('--output <file>', 'the examples, which an experiment names as its "data"')
    .option('--threads <count>', 'number of threads; by default one per processor')
    .action(makeExamples);
};

async function makeExamples({ input, madeUp, seed, map, output, ...more }: DataOptions): Promise<void> {
  if ((input === undefined) === (madeUp === undefined))
    throw new InputError('learn data: needs either --input or --made-up');
  if (madeUp === undefined && seed !== undefined)
    throw new InputError('learn data: --seed: must not be given without --made-up');
  const rows = madeUp === undefined ? 0 : integerOption('learn data', 'made-up', madeUp, 1n, MOST_MADE_UP);
  const files = input === undefined ? null : new InputFiles(input);
  refuseSameFile(output, { 'the map': map, 'the input': files?.names ?? [] });
  const json = readJson(map);
  const value = accept(map, parseDataMap(json));
  const threads = threadsOption('learn data', more.threads);
  let examples = new ExamplesFile(output, { json, value });
  const read = files === null ? () => '' : readingProgress([files]);
  const stopShowing = showProgress(() => `${examples.count} examples${read()}`);
  try {
    const tables = files === null ? null : tablesToCut(files, value, threads);
    let added: Added | null = null;
    if (files !== null && tables !== null) {
      added = await addParts(files, tables, { json, value }, threads, examples);
      if (added === null) {
        examples.close();
        examples = new ExamplesFile(output, { json, value });
        for (const file of files.files) file.read = 0;
      }
    }
    added ??= await addAll(
      files === null ? madeUpParts(value, rows, seed ?? '0') : rowsOf(files, value),
      value,
      examples,
    );
    const { positives } = added;
    refuseUnfit(map, added.rows);
    examples.finish();
    say(`${output}: ${examples.count} examples, ${positives} with a label other than 0`);
  } finally {
    stopShowing();
    examples.close();
  }
}

const MOST_MADE_UP = 100_000_000n;

interface PlacedRow {
  readonly place: string;
  readonly cells: Cells;
}

const rowsOf = (input: InputFiles, map: DataMap): AsyncIterable<readonly PlacedRow[]> =>
  readRows(input, { wanted: columnsIn(map), delimiter: map.delimiter, columns: map.columns });

function* madeUpParts(map: DataMap, rows: number, seed: string): Generator<readonly PlacedRow[]> {
  for (const cells of madeUpRows(map, rows, seed)) yield [{ place: 'a made-up row', cells }];
}

async function addAll(
  input: AsyncIterable<readonly PlacedRow[]> | Iterable<readonly PlacedRow[]>,
  map: DataMap,
  examples: ExamplesFile,
): Promise<Added> {
  const numberings = rememberedByKey<string, (name: string) => number>(() => {
    const numbers = new NameNumbers();
    return remembered(
      (name: string) => numbers.of(name),
      (name) => name,
    );
  });
  const rows = new DataRows(map, (column, value) => numberings(column)(value));
  let positives = 0;
  for await (const some of input)
    for (const from of some)
      try {
        examples.add((into, row) => {
          rows.read(from.cells, examples.count, into, row);
          if (into.labels[row] !== 0) positives += 1;
        });
      } catch (error) {
        if (error instanceof CellError) throw new InputError(`${from.place}: ${error.message}`);
        throw error;
      }
  return { rows, positives };
}

/** @throws InputError where the map does not fit the log */
function refuseUnfit(file: string, rows: DataRows): void {
  const doubt = rows.doubt();
  if (doubt !== null) throw new InputError(`${file}: ${doubt}`);
  for (const collision of rows.collisions()) reportCollisions(file, collision);
  for (const { feature, cell } of rows.unlisted())
    throw new InputError(
      `${file}: column ${JSON.stringify(feature.column)}: no row has any of the listed values; must be one of ${namesText(feature.values.map((value) => JSON.stringify(value)))}, was for example ${JSON.stringify(cell)}`,
    );
}

/** @throws InputError for more than the map accepts */
function reportCollisions(
  file: string,
  { feature, share }: ReturnType<DataRows['collisions']>[number],
): void {
  if (share === 0) return;
  const { column, buckets, collisions } = feature;
  const found = `${file}: column ${JSON.stringify(column)}: ${percent(share)} of the rows share one of ${buckets} buckets with another value`;
  if (share <= collisions) say(found);
  else
    throw new InputError(
      `${found}, at most ${percent(collisions)} may: give it more buckets, list its values ("kind": "listed"), or accept it ("collisions": ${Math.ceil(share * 100) / 100})`,
    );
}

const percent = (share: number): string => `${Number((100 * share).toPrecision(3))} %`;
