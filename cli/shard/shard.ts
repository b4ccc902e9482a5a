import { compressionOf, compressor, type Compressor } from '../io/compression';
import type { DefineCommand } from '../io/define';
import { InputError } from '../io/input';
import { InputFiles } from '../io/input-files';
import { jsonBytes } from '../io/json-bytes';
import { shardCountOption, shardOf } from '../simulate/sharding';
import { eventLines, Progress } from '../simulate/lines';
import { openOutput, type Output } from '../io/output';
import { refuseSameFile } from '../io/same-file';
import { refuseTable } from '../io/table-name';

interface ShardOptions {
  readonly of: string;
  readonly input?: readonly string[];
  readonly output?: string;
}

/** More shards would need more open files than systems allow. */
const MOST_FILES = 500;
const WRITTEN_CHARACTERS = 1 << 16;
const NUMBER = '{}';

/** `cointoss shard`: prints the shard of users, or splits a log into shards. */
export const define: DefineCommand = (command, { print }) => {
  command
    .argument('[users...]', 'prints the shard of each user, one JSON object per line')
    .requiredOption('--of <n>', 'how many shards there are')
    .option('--input <files...>', 'splits this log of events, as simulate reads it; files or folders, or -')
    .option('--output <name>', 'the files to write; {} stands for the number of the shard')
    .addHelpText(
      'after',
      '\nThe shard of a user is the first 8 hexadecimal digits of the SHA-256 of the name, as a number, modulo n.',
    )
    .action(async (users: readonly string[], { of, input, output }: ShardOptions) => {
      const count = shardCountOption(of);
      if (users.length === 0 && input === undefined && output === undefined)
        throw new InputError('shard: must have users, or --input and --output');
      if (input !== undefined || output !== undefined) await split(count, input, output);
      for (const user of users) print(JSON.stringify({ user, shard: shardOf(user, count) }));
    });
};

async function split(
  count: number,
  input: readonly string[] | undefined,
  output: string | undefined,
): Promise<void> {
  if (input === undefined || output === undefined)
    throw new InputError('shard: --input and --output: must come together');
  if (!output.includes(NUMBER))
    throw new InputError(`shard: --output: must contain ${NUMBER}, for the number of the shard`);
  if (count > MOST_FILES) throw new InputError(`shard: --of: must be at most ${MOST_FILES} with --input`);
  refuseTable(output);
  const log = new InputFiles(input);
  const names = Array.from({ length: count }, (_, shard) => output.replaceAll(NUMBER, String(shard)));
  for (const name of names) refuseSameFile(name, { 'the input': log.names });
  const compress = await compressor(compressionOf(output));
  const parts: Part[] = [];
  try {
    for (const name of names) parts.push(new Part(openOutput(name), compress));
    for await (const lines of eventLines(log, new Progress(), () => true))
      for (const { user, text } of lines) await parts[shardOf(user, count)]?.add(text);
    for (const part of parts) await part.write();
    for (const part of parts) await part.output.finish();
  } finally {
    for (const part of parts) await part.output.close();
  }
}

class Part {
  private text = '';

  constructor(
    readonly output: Output,
    private readonly compress: Compressor,
  ) {}

  async add(line: string): Promise<void> {
    this.text += `${line}\n`;
    if (this.text.length >= WRITTEN_CHARACTERS) await this.write();
  }

  async write(): Promise<void> {
    const bytes = jsonBytes(this.text);
    this.text = '';
    if (bytes.length > 0) await this.output.append(this.compress(bytes));
  }
}
