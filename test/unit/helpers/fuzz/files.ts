import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InputError } from '../../../../cli/io/input';
import { InputFiles } from '../../../../cli/io/input-files';
import { readRows } from '../../../../cli/io/rows';
import { writeTable } from '../../../../cli/io/table-file';
import type { JsonObject } from '../../../../src/model/json';
import type { Fuzzed } from './fuzz';
import { Dice } from './mutations';

const fixtures = path.resolve(__dirname, '../../../fixtures');

/** Files by the format that commands read as rows. Those of the fixtures are from another writer of Parquet. */
export const filesByFormat: Readonly<Record<string, readonly string[]>> = {
  'CSV and TSV': ['rows.csv', 'rows.tsv.gz', 'rows.csv.zst'],
  NDJSON: ['rows.ndjson.gz'],
  Parquet: ['rows.parquet', 'pages-1.parquet', 'pages-2.parquet'],
};

export const fuzzedFiles: readonly string[] = Object.values(filesByFormat).flat();

const rows: readonly JsonObject[] = Array.from({ length: 8 }, (_, index) => ({
  user: `u${index % 3}`,
  time: 1_800_000_000_000 + index,
  clicked: index % 2 === 0,
  text: ['=1+1', 'two\nlines', 'a "quoted", one', 'ü', ''][index % 5] ?? null,
}));

const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x22, 0x0a, 0x2c];

/** After one to three mutations, anywhere. */
function mutatedBytes(dice: Dice, seed: Buffer): Buffer {
  let bytes = Buffer.from(seed);
  for (let count = 1 + dice.below(3); count > 0; count--) {
    const at = dice.below(bytes.length + 1);
    const [before, after] = [bytes.subarray(0, at), bytes.subarray(at)];
    const some = after.subarray(0, dice.below(20));
    const edits = [
      (): readonly Uint8Array[] => [before, Buffer.from([dice.below(256)]), after.subarray(1)],
      () => [before, Buffer.from([dice.pick(EDGES)]), after.subarray(1)],
      () => [before, Buffer.from([(after[0] ?? 0) ^ (1 << dice.below(8))]), after.subarray(1)],
      () => [before, Buffer.alloc(1 + dice.below(9), dice.pick(EDGES)), after],
      () => [before, some, after],
      () => [before, after.subarray(some.length)],
      () => [dice.below(10) === 0 ? before : bytes],
    ];
    bytes = Buffer.concat(dice.pick(edits)());
  }
  return bytes;
}

/**
 * Reads every cell in every way that commands read them.
 * @throws InputError
 */
export async function readAll(file: string): Promise<void> {
  for await (const some of readRows(new InputFiles([file])))
    for (const row of some) {
      row.text();
      for (const column of Object.keys(rows[0] ?? {})) row.cells(column);
    }
}

/** The bytes before they are mutated. */
async function seedOf(name: string, file: string): Promise<Buffer> {
  if (existsSync(path.join(fixtures, name))) return readFile(path.join(fixtures, name));
  await writeTable(file, () => rows);
  return readFile(file);
}

/** Reads `count` mutations of a file, the same ones for the same seed. Finds errors that do not name the file. */
export async function fuzzFile(name: string, count: number, seed: number): Promise<Fuzzed> {
  const dice = new Dice(seed);
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-fuzz-'));
  const file = path.join(folder, name);
  const findings: string[] = [];
  let accepted = 0;
  try {
    const whole = await seedOf(name, file);
    for (let index = 0; index < count && findings.length < 5; index++) {
      const bytes = mutatedBytes(dice, whole);
      writeFileSync(file, bytes);
      try {
        await readAll(file);
        accepted += 1;
      } catch (error) {
        if (error instanceof InputError && error.message.startsWith(`${file}: `)) continue;
        findings.push(
          `${error instanceof Error ? (error.stack ?? '').split('\n', 4).join(' ') : String(error)}: ${bytes.toString('base64')}`,
        );
      }
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  return { accepted, findings };
}
