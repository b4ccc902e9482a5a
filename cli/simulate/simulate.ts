import type { DefineCommand } from '../io/define';
import { InputError } from '../io/input';
import { defineCompare } from './compare';
import { defineHistogram } from './histogram';
import { addSimulateOptions, planOf, type SimulateOptions } from './options';
import { withPriorOf } from './prior';
import { simulateLog } from './run';
import { defineW3c } from './w3c';

/** `cointoss simulate`: runs the logs of many users through the engine; see docs/simulate.md. */
export const define: DefineCommand = (command, answer) => {
  addSimulateOptions(command).action(async (options: SimulateOptions) => {
    await simulateLog(await withPriorOf(options, planOf(options)));
  });
  command.enablePositionalOptions();
  // Otherwise options of this command would be left unused, without a word.
  command.hook('preSubcommand', ({ options }, chosen) => {
    const given = options.find((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
    if (given !== undefined)
      throw new InputError(`simulate: ${given.long ?? ''}: must come after ${chosen.name()}`);
  });
  defineCompare(command.command('compare'), answer);
  defineHistogram(command.command('histogram'));
  defineW3c(command.command('w3c'));
};
