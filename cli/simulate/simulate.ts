import type { DefineCommand } from '../io/define';
import { defineCompare } from './compare';
import { defineHistogram } from './histogram';
import { addSimulateOptions, planOf, type SimulateOptions } from './options';
import { withPriorOf } from './prior';
import { simulateLog } from './run';
import { defineW3c } from './w3c';

/** `cointoss simulate`: runs the logs of many users through the engine; see docs/simulate.md. */
export const define: DefineCommand = (command) => {
  addSimulateOptions(command).action(async (options: SimulateOptions) => {
    await simulateLog(await withPriorOf(options, planOf(options)));
  });
  command.enablePositionalOptions();
  defineCompare(command.command('compare'));
  defineHistogram(command.command('histogram'));
  defineW3c(command.command('w3c'));
};
