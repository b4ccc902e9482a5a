import { compareExperiment } from '../../analysis/experiment/compare-example';
import { parseExperiment } from '../../analysis/experiment/experiment';
import type { Json } from '../../src/model/json';
import type { DefineCommand } from '../io/define';
import { accept, InputError, readJson } from '../io/input';
import { exampleLines, runExperiment, withExperimentOptions, type ExperimentOptions } from './experiment';

/** `cointoss compare`: an experiment whose cells are APIs, with what can be done with their answers; see docs/compare.md. */
export const define: DefineCommand = (command, { print }) => {
  withExperimentOptions(command, 'cointoss-compare')
    .argument('[file]', 'an experiment with measure.tasks, as JSON; by default, the demo month')
    .action(async (file: string | undefined, options: ExperimentOptions) => {
      if (options.example === true) for (const line of exampleLines(compareExperiment)) print(line);
      else if (file === undefined) await runExperiment('the demo month', compareExperiment, options);
      else await runExperiment(file, withTasks(file, readJson(file)), options);
    });
};

/** @throws InputError if there is nothing to compare APIs by. */
function withTasks(file: string, json: Json): Json {
  if (accept(file, parseExperiment(json)).measure.tasks.length > 0) return json;
  throw new InputError(`${file}: measure.tasks: must have at least one task, such as "ranking", had none`);
}
