import { fuzzFile } from './files';

/** A program: `NAME COUNT SEED` to the findings as JSON. */
async function main([name = '', count, seed]: readonly string[]): Promise<void> {
  process.stdout.write(JSON.stringify(await fuzzFile(name, Number(count), Number(seed))));
}

void main(process.argv.slice(2));
