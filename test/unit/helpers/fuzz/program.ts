import { fuzz, type Fuzzed } from './fuzz';
import { fuzzedFiles, fuzzFile } from './files';
import { fuzzedParsers } from './parsers';

/** A program: `COUNT SEED NAME...` of parsers or files to the findings of each as JSON. */
async function main([count, seed, ...names]: readonly string[]): Promise<void> {
  const found: (readonly [string, Fuzzed])[] = [];
  for (const name of names) found.push([name, await fuzzed(name, Number(count), Number(seed))]);
  process.stdout.write(JSON.stringify(found));
}

async function fuzzed(name: string, count: number, seed: number): Promise<Fuzzed> {
  const parser = fuzzedParsers[name];
  return parser === undefined || fuzzedFiles.includes(name)
    ? fuzzFile(name, count, seed)
    : fuzz(parser, count, seed);
}

void main(process.argv.slice(2));
