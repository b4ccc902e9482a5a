import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Option } from 'commander';
import type { Json } from '../../src/model/json';
import { chromiumLimits, type Limits } from '../../src/model/limits';
import { parse } from '../../formats/codec/issues';
import { apiConfig } from '../../analysis/scenario/api-config';
import { firstDifference } from '../../analysis/scenario/compare';
import { ScenarioError } from '../../analysis/scenario/outcome';
import { replay } from '../../analysis/scenario/replay';
import { recordedIn } from '../../analysis/simulation/recorded/recorded';
import { parseScenario, type Scenario, type ScenarioReport } from '../../analysis/scenario/scenario';
import type { BrowserName } from '../../scenarios/kit';
import type { DefineCommand } from '../io/define';
import { accept, InputError, readJson } from '../io/input';
import { randomFor } from '../io/random';
import { say } from '../io/terminal';

interface ReplayOptions {
  readonly config?: string;
  readonly noise?: boolean;
  readonly seed?: string;
  readonly browser?: BrowserName;
}

type Replay = (scenario: Scenario) => Promise<readonly ScenarioReport[]>;

/**
 * `cointoss replay FILE...`: prints one line of JSON per file. Says "no" unless all reports match the `output` of their files. With noise
 * it compares nothing.
 */
export const define: DefineCommand = (command, { print, sayNo }) => {
  command
    .argument('<file...>', 'scenario files')
    .option(
      '--config <file>',
      "limits, unless a file's api_config overrides them; by default default_config.json beside the file, otherwise Chromium's",
    )
    .option('--noise', 'add noise to sources unless the scenario forces their outcome')
    .option('--seed <seed>', 'make the noise and the report ids repeatable')
    .addOption(
      new Option('--browser <browser>', 'replay through the extension in a real browser').choices([
        'chrome',
        'firefox',
      ] satisfies BrowserName[]),
    )
    .action(async (files: string[], options: ReplayOptions) => {
      if (!(await replayCommand(files, options, print))) sayNo();
    });
};

/** @returns whether all reports matched. */
async function replayCommand(
  files: readonly string[],
  options: ReplayOptions,
  print: (line: string) => void,
): Promise<boolean> {
  if (options.browser !== undefined) return replayInBrowser(options.browser, files, options, print);
  const random = randomFor(options.seed);
  return replayFiles(files, options, print, (scenario) =>
    replay(scenario, { random, noise: options.noise ?? false }),
  );
}

async function replayInBrowser(
  name: BrowserName,
  files: readonly string[],
  options: ReplayOptions,
  print: (line: string) => void,
): Promise<boolean> {
  // Imported here because it loads slowly and nothing else needs it.
  const { BrowserReplay } = await import('../../scenarios/replay/browser-replay');
  const browser = await BrowserReplay.start(name);
  try {
    return await replayFiles(files, options, print, (scenario) =>
      browser.replay(scenario, { noise: options.noise ?? false, seed: options.seed ?? null }),
    );
  } finally {
    await browser.close();
  }
}

async function replayFiles(
  files: readonly string[],
  { config, noise = false }: ReplayOptions,
  print: (line: string) => void,
  run: Replay,
): Promise<boolean> {
  let allAsStated = true;
  for (const file of files) {
    const document = scenarioOf(file, readJson(file));
    const scenario = accept(file, parseScenario(document, limitsFor(file, config)));
    try {
      const reports = await run(scenario);
      print(JSON.stringify({ file, reports }));
      const isCompared = !noise && Object.hasOwn(document as object, 'output');
      const difference = isCompared ? firstDifference(scenario.reports, reports) : null;
      if (difference === null) continue;
      allAsStated = false;
      const { expected, sent } = difference;
      const found = `expected ${expected ?? 'no report'}, got ${sent ?? 'no report'}`;
      say(`${file}: output.reports: ${found}`);
    } catch (error) {
      if (error instanceof ScenarioError) throw new InputError(`${file}: ${error.path}: ${error.message}`);
      throw error;
    }
  }
  return allAsStated;
}

/** The document itself, or the scenario of a file that another program wrote for one user. */
function scenarioOf(file: string, document: Json): Json {
  const found = recordedIn(document, file);
  if (found === null) return document;
  const registrations = accept(file, found).lines.map((line) =>
    Object.fromEntries(Object.entries(line).filter(([name]) => name !== 'user')),
  );
  return { input: { registrations } };
}

/** Chromium's limits, unless the option or a `default_config.json` beside the scenario sets others. */
function limitsFor(file: string, option: string | undefined): Limits {
  const beside = join(dirname(file), 'default_config.json');
  const config = option ?? (file !== '-' && existsSync(beside) ? beside : null);
  return config === null
    ? chromiumLimits
    : accept(config, parse(readJson(config), apiConfig(chromiumLimits))).limits;
}
