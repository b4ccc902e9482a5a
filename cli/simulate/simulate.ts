import type { DefineCommand } from '../io/define';
import { InputError } from '../io/input';
import { addSimulateOptions, planOf, type SimulateOptions } from './options';
import { withPriorOf } from './prior';
import { simulateLog } from './run';

/** `cointoss simulate`: runs the logs of many users through the engine; see docs/simulate.md. */
export const define: DefineCommand = (command, answer) => {
  addSimulateOptions(command).action(async (options: SimulateOptions) => {
    await simulateLog(await withPriorOf(options, planOf(options)));
  });
  command.enablePositionalOptions();
  for (const [name, { description }] of Object.entries(subcommands))
    command.command(name).description(description);
  command.hook('preSubcommand', async ({ options }, chosen) => {
    const given = options.find((option) => command.getOptionValueSource(option.attributeName()) === 'cli');
    // Otherwise options of this command would be left unused, without a word.
    if (given !== undefined)
      throw new InputError(`simulate: ${given.long ?? ''}: must come after ${chosen.name()}`);
    (await subcommands[chosen.name()]?.load())?.define(chosen, answer);
  });
};

/** What the other answers need is loaded only for them. */
const subcommands: Readonly<Record<string, Subcommand>> = {
  compare: {
    description: 'compare the credit of channels under rules and learned models; see docs/credits.md',
    load: () => import('./compare'),
  },
  histogram: {
    description:
      'count people by the channel before their first conversion, with noise; see docs/histograms.md',
    load: () => import('./histogram'),
  },
  w3c: {
    description: 'run the log through W3C Attribution instead; see docs/w3c.md',
    load: () => import('./w3c'),
  },
};

interface Subcommand {
  readonly description: string;
  readonly load: () => Promise<{ readonly define: DefineCommand }>;
}
