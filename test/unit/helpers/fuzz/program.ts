import { fuzz } from './fuzz';
import { fuzzedFiles, fuzzFile } from './files';
import { fuzzedParsers } from './parsers';

/** A program: `NAME COUNT SEED` of a parser or a file to the findings as JSON. */
async function main([name = '', count, seed]: readonly string[]): Promise<void> {
  const parser = fuzzedParsers[name];
  const found =
    parser === undefined || fuzzedFiles.includes(name)
      ? await fuzzFile(name, Number(count), Number(seed))
      : fuzz(parser, Number(count), Number(seed));
  process.stdout.write(JSON.stringify(found));
}

void main(process.argv.slice(2));
