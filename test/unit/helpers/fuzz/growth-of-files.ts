import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InputError } from '../../../../cli/input';
import { readAll } from './files';
import { grownFiles } from './grown-files';
import { growth } from './growth';

/** A program: `NAME` of a file that grows to how many times as long it takes to be read. Jest cannot load what writes Parquet. */
async function main([name = '']: readonly string[]): Promise<void> {
  const write = grownFiles[name];
  if (write === undefined) throw new Error('there is no such file');
  const folder = await mkdtemp(path.join(tmpdir(), 'cointoss-grown-'));
  const file = path.join(folder, name);
  try {
    const ratio = await growth(3, async (size) => {
      await write(file, size);
      return () => readAll(file).catch(expectInputError);
    });
    process.stdout.write(String(ratio));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function expectInputError(error: unknown): void {
  if (!(error instanceof InputError)) throw error;
}

void main(process.argv.slice(2));
