import { generateUser } from '../analysis/simulation/generate';
import { compressionOf, compressor } from './compression';
import type { DefineCommand } from './define';
import { integerOption } from './input';
import { openOutput } from './simulate-output';

interface GenerateOptions {
  readonly users: string;
  readonly seed: string;
  readonly output: string;
}

const WRITTEN_CHARACTERS = 1 << 20;

/** `cointoss generate`: makes up a log for `simulate`. The same seed gives the same log. */
export const define: DefineCommand = (command) => {
  command
    .requiredOption('--users <count>', 'how many users')
    .option('--seed <seed>', 'another seed makes another log', '0')
    .option(
      '--output <file>',
      'the file to write, or - for standard output; .gz and .zst are compressed',
      '-',
    )
    .action(generate);
};

async function generate({ users, seed, output }: GenerateOptions): Promise<void> {
  const count = integerOption('generate', 'users', users, 1n, 999_999_999n);
  const file = await openOutput(output);
  const compress = await compressor(output === '-' ? 'none' : compressionOf(output));
  const encoder = new TextEncoder();
  let text = '';
  for (let number = 0; number < count; number++) {
    for (const line of generateUser(seed, number)) text += `${JSON.stringify(line)}\n`;
    if (text.length < WRITTEN_CHARACTERS && number < count - 1) continue;
    await file.append(compress(encoder.encode(text)));
    text = '';
  }
  await file.close();
}
