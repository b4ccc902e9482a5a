import { comparedCredits } from '../../analysis/credits/credit-rows';
import type { CreditRow } from '../../analysis/credits/log-credits';
import { RandomNumbers } from '../../analysis/learn/random-numbers';
import { randomFor } from '../io/random';
import { addChannelOptions, countChannels, type ChannelOptions } from './channels';
import { writeTable } from '../io/table-file';
import { say } from '../io/terminal';
import type { DefineCommand } from '../io/define';
import { creditTable } from './credit-table';

/** `cointoss simulate compare`: writes how models credit the channels of a log, and prints them as a table; see docs/credits.md. */
export const define: DefineCommand = (command, { print }) => {
  addChannelOptions(command, 'the credits; .csv, .tsv and .parquet as named, otherwise NDJSON').action(
    async (options: ChannelOptions) => {
      for (const line of creditTable(await compare(options))) print(line);
    },
  );
};

/** @throws InputError */
async function compare(options: ChannelOptions): Promise<readonly CreditRow[]> {
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
  return rows;
}
