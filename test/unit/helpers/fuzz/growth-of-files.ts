import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InputError } from '../../../../cli/io/input';
import { readAll } from './files';
import { grownFiles } from './grown-files';
import { growthOf } from '../costs/measure';

/** In bytes. */
const LARGEST = 2_000_000;

/** A program: `NAME` of a file that grows to where it takes too long to be read, as JSON. Jest cannot load what writes Parquet. */
async function main([name = '']: readonly string[]): Promise<void> {
  const write = grownFiles[name];
  if (write === undefined) throw new Error('there is no such file');
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-grown-'));
  const file = path.join(folder, name);
  try {
    const found = await growthOf(
      (size) => write(file, size),
      () => readAll(file).catch(expectInputError),
      LARGEST,
    );
    process.stdout.write(JSON.stringify(found));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function expectInputError(error: unknown): void {
  if (!(error instanceof InputError)) throw error;
}

void main(process.argv.slice(2));
