import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { chromiumLimits, type Limits } from '../src/model/limits';
import { parse } from '../src/registration/issues';
import { apiConfig } from '../src/scenario/api-config';
import { replay, ScenarioError } from '../src/scenario/replay';
import { parseScenario } from '../src/scenario/scenario';
import { accept, InputError, readJson } from './input';
import { randomFor } from './random';

export interface ReplayCommandOptions {
  readonly config?: string;
  readonly noise?: boolean;
  readonly seed?: string;
}

/** `cointoss replay FILE...`: one line of JSON for each file. */
export async function replayCommand(
  files: readonly string[],
  options: ReplayCommandOptions,
  print: (line: string) => void,
): Promise<void> {
  for (const file of files) {
    const scenario = accept(file, parseScenario(readJson(file), limitsFor(file, options.config)));
    try {
      const reports = await replay(scenario, {
        random: randomFor(options.seed),
        noise: options.noise ?? false,
      });
      print(JSON.stringify({ file, reports }));
    } catch (error) {
      if (error instanceof ScenarioError) throw new InputError(`${file}: ${error.path}: ${error.message}`);
      throw error;
    }
  }
}

/** Chromium's limits, unless the option, or a `default_config.json` beside the scenario, has others. */
function limitsFor(file: string, option: string | undefined): Limits {
  const beside = join(dirname(file), 'default_config.json');
  const config = option ?? (file !== '-' && existsSync(beside) ? beside : null);
  return config === null
    ? chromiumLimits
    : accept(config, parse(readJson(config), apiConfig(chromiumLimits))).limits;
}
