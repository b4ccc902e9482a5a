import type { Command } from 'commander';
import { comparedCredits } from '../../analysis/credits/credit-rows';
import { RandomNumbers } from '../../analysis/learn/random-numbers';
import { randomFor } from '../io/random';
import { addChannelOptions, countChannels, type ChannelOptions } from './channels';
import { writeTable } from '../io/table-file';
import { say } from '../io/terminal';

/** `cointoss simulate compare`: writes how models credit the channels of a log; see docs/credits.md. */
export function defineCompare(command: Command): void {
  command.description('compare the credit of channels under rules and learned models; see docs/credits.md');
  addChannelOptions(command, 'the credits; .csv, .tsv and .parquet as named, otherwise NDJSON').action(
    compare,
  );
}

/** @throws InputError */
async function compare(options: ChannelOptions): Promise<void> {
  const { output } = options;
  const { plan, counts } = await countChannels(options);
  const { seed, settings } = plan.setup;
  // A list without a name: no user has this randomness.
  const random = randomFor(seed === null ? undefined : JSON.stringify([seed]))(0);
  const { rows, notEstimable } = comparedCredits(
    counts,
    settings.attribution.kind,
    new RandomNumbers(random),
  );
  if (notEstimable > 0)
    say(
      `${output}: what is learned from reports lacks the conversions of ${notEstimable} sources, because their noise hides how many there are`,
    );
  await writeTable(output, () => rows.map((row) => ({ ...row })));
}
