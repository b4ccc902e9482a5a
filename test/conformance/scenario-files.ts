import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { accept, readJson } from '../../cli/io/input';
import { chromiumLimits, type Limits } from '../../src/model/limits';
import { parseScenario, type Scenario } from '../../analysis/scenario/scenario';
import { limitsOf } from './runner';

export interface ScenarioFile {
  readonly name: string;
  readonly file: string;
  readonly scenario: Scenario;
}

const CONFIG = 'default_config.json';
const own = path.join(__dirname, 'cases');
/** Other people's files, which are not part of this repository. */
const interop = process.env['COINTOSS_INTEROP'] ?? path.resolve(__dirname, '../../../shared/interop');

/** Every scenario file, with the limits of its folder. */
export function scenarioFiles(): readonly ScenarioFile[] {
  const config = path.join(interop, CONFIG);
  return [
    ...filesIn(own, chromiumLimits),
    ...(existsSync(config) ? filesIn(interop, limitsOf(config, chromiumLimits)) : []),
  ];
}

const filesIn = (folder: string, limits: Limits): ScenarioFile[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json') && name !== CONFIG)
    .map((name) => {
      const file = path.join(folder, name);
      return { name, file, scenario: accept(file, parseScenario(readJson(file), limits)) };
    });
