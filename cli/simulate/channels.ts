import type { Command } from 'commander';
import { addCounts, type CreditCounts } from '../../analysis/credits/credit-counts';
import { InputError } from '../io/input';
import { say } from '../io/terminal';
import { addEngineOptions, engineSetupOf, filesOf, type EngineOptions } from './engine-options';
import { addLogOptions, logPlanOf } from './log-options';
import type { Plan } from './options';
import { withPriorOf } from './prior';
import { simulateLog } from './run';
import { wholeLog } from './sharding';

/** The options of what counts by channel. */
export interface ChannelOptions extends EngineOptions {
  readonly channel: string;
}

export const addChannelOptions = (command: Command, output: string): Command =>
  addEngineOptions(addLogOptions(command, output)).option(
    '--channel <column>',
    'the column of the source log with the channels',
    'campaign',
  );

/** What became of each channel in a whole log. @throws InputError */
export async function countChannels(
  options: ChannelOptions,
): Promise<{ readonly plan: Plan; readonly counts: CreditCounts }> {
  const { output, channel } = options;
  if (output === '-') throw new InputError('simulate: --output: must be a file');
  const plan = await withPriorOf(options, {
    ...logPlanOf(options, filesOf(options)),
    reports: null,
    sourcesOutput: null,
    resume: false,
    allowNoEffect: options.allowNoEffect ?? false,
    setup: {
      ...engineSetupOf(options),
      shard: wholeLog,
      withUsers: false,
      aggregationKeys: null,
      channel,
      compression: 'none',
      sourcesCompression: null,
    },
  });
  const counts = addCounts(await simulateLog(plan));
  if ([...counts.journeys.keys()].every((channels) => channels === '[""]'))
    say(`simulate: no source has a value in the column ${channel}`);
  return { plan, counts };
}
