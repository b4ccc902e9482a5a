import { columnsIn, type DataMap, type UnitName } from '../../analysis/learn/data-map';
import { DataRows, isCategory } from '../../analysis/learn/data-row';
import { workerPool } from '../../node/worker-pool';
import type { Json } from '../../src/model/json';
import { rememberedByKey } from '../../src/model/remembered';
import { inOrder } from '../io/in-order';
import type { InputFiles } from '../io/input-files';
import { cutLines } from '../io/log-ranges';
import { limitMemory } from '../io/memory';
import { NameNumbers } from '../io/name-numbers';
import { plainTable, type PlainTable } from '../io/rows';
import { say } from '../io/terminal';
import { dataWorker, PART_BYTES, type DataPart, type DataTask } from './data-workers';
import type { ExamplesFile } from './examples-file';

/** Shorter logs are read before threads have started. */
const SHORTEST = 2 * PART_BYTES;

const NOT_PLAIN =
  'has a quote, a carriage return, a byte order mark or a row of more than 1 MiB, so one thread reads the log again from its beginning';

/** What was added, and how many of it have a label other than 0. */
export interface Added {
  readonly rows: DataRows;
  readonly positives: number;
}

/** The tables of a log, if threads can read them in parts; otherwise null. */
export function tablesToCut(
  { files }: InputFiles,
  map: DataMap,
  threads: number,
): readonly PlainTable[] | null {
  // The number of a row is its time if the map has none.
  if (threads === 1 || map.time === null) return null;
  const options = { wanted: columnsIn(map), delimiter: map.delimiter, columns: map.columns };
  const tables = files.flatMap((file) => plainTable(file, options) ?? []);
  const size = tables.reduce((sum, table) => sum + table.size, 0);
  return tables.length === files.length && size >= SHORTEST ? tables : null;
}

/**
 * Reads a log as examples in threads.
 * @returns null if it must be read in order instead, also for the place of a mistake.
 */
export async function addParts(
  input: InputFiles,
  tables: readonly PlainTable[],
  { json, value: map }: { readonly json: Json; readonly value: DataMap },
  threads: number,
  examples: ExamplesFile,
): Promise<Added | null> {
  const pool = workerPool(dataWorker, threads, json, limitMemory(threads));
  const parts = new Parts(map, examples);
  const sources = new Map(input.files.map((source) => [source.file, source]));
  try {
    for await (const [task, part] of inOrder(tasksOf(tables), (task) => pool.run(task), 2 * threads)) {
      if (typeof part === 'string') {
        if (part === 'not-plain') say(`${task.range.file}: ${NOT_PLAIN}`);
        return null;
      }
      parts.add(part);
      const source = sources.get(task.range.file);
      if (source !== undefined) source.read = task.range.end;
    }
    return parts;
  } finally {
    await pool.destroy();
  }
}

function* tasksOf(tables: readonly PlainTable[]): Generator<DataTask, void, undefined> {
  for (const table of tables)
    for (const range of cutLines(table, table.start, PART_BYTES))
      yield { range, delimiter: table.delimiter, columns: table.columns };
}

/** Puts parts together: numbers that threads gave to names become those of the whole log. */
class Parts implements Added {
  readonly rows: DataRows;
  positives = 0;
  private readonly numberings = rememberedByKey<string, NameNumbers>(() => new NameNumbers());
  private readonly units: readonly (readonly [UnitName, string | null])[];
  /** The kinds and columns of the categories. */
  private readonly categories: readonly { readonly kind: string; readonly column: string }[];

  constructor(
    map: DataMap,
    private readonly examples: ExamplesFile,
  ) {
    this.rows = new DataRows(map, () => 0);
    this.units = Object.entries(map.units) as [UnitName, string | null][];
    this.categories = map.features.filter(isCategory);
  }

  add({ examples: part, names, fingerprints, listed, times }: DataPart): void {
    const numbers = new Map(
      [...names].map(([column, hashes]) => {
        const all = this.numberings(column);
        return [column, Int32Array.from(hashes, (hash) => all.ofHash(hash))];
      }),
    );
    const numberOf = (column: string, number: number): number => numbers.get(column)?.[number] ?? 0;
    this.rows.addListed(listed);
    this.rows.addTimes(times);
    let hashes = 0;
    for (let from = 0; from < part.count; from++)
      this.examples.add((into, row) => {
        into.times[row] = part.times[from] ?? 0;
        into.delays[row] = part.delays[from] ?? 0;
        const label = part.labels[from] ?? 0;
        into.labels[row] = label;
        if (label !== 0) this.positives += 1;
        for (const [name, column] of this.units)
          into.units[name][row] =
            column === null ? this.examples.count : numberOf(column, part.units[name][from] ?? 0);
        const wide = this.categories.length;
        let hashed = 0;
        this.categories.forEach(({ kind, column }, index) => {
          const category = part.categories[from * wide + index] ?? 0;
          if (kind === 'hashed') this.rows.addHashed(hashed++, category, fingerprints[hashes++] ?? 0);
          into.categories[row * wide + index] = kind === 'vocabulary' ? numberOf(column, category) : category;
        });
        const deep = part.fields.numbers.length;
        into.numbers.set(part.numbers.subarray(from * deep, (from + 1) * deep), row * deep);
      });
  }
}
