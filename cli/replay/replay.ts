import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Option } from 'commander';
import type { Json } from '../../src/model/json';
import { chromiumLimits, type Limits } from '../../src/model/limits';
import { parse } from '../../formats/codec/issues';
import { apiConfig } from '../../analysis/scenario/api-config';
import { replayCalls, type ReplayCallsOptions } from '../../analysis/scenario/calls/replay-calls';
import { firstDifference, firstOtherHistogram, type Difference } from '../../analysis/scenario/compare';
import { ScenarioError } from '../../analysis/scenario/calls/scenario-error';
import { replay } from '../../analysis/scenario/replay';
import { lotsOf, seededSecret } from '../../analysis/random/sources';
import { recordedIn } from '../../analysis/simulation/recorded/recorded';
import { parseScenario, type Replayed, type Scenario } from '../../analysis/scenario/scenario';
import type { BrowserName } from '../../scenarios/kit';
import { requireBrowserCan } from '../../scenarios/replay/in-browser';
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

type Misfit = NonNullable<ReplayCallsOptions['misfit']>;

/** @param misfit called for stated credit that is impossible, and is drawn instead */
type Replay = (scenario: Scenario, misfit: Misfit) => Promise<Replayed>;

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
    .option('--seed <seed>', 'make the noise and the report ids repeatable, and draw the arms of a lift test')
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

/** @returns as for `replayFiles` */
async function replayCommand(
  files: readonly string[],
  options: ReplayOptions,
  print: (line: string) => void,
): Promise<boolean> {
  if (options.browser !== undefined) return replayInBrowser(options.browser, files, options, print);
  const noise = options.noise ?? false;
  const random = randomFor(options.seed);
  const lots = options.seed === undefined ? {} : { lots: lotsOf(seededSecret(random)) };
  const ofCall = noise ? randomFor(options.seed, 'w3c') : null;
  return replayFiles(files, options, print, async (scenario, misfit) => ({
    reports: await replay(scenario, { random, noise, ...lots }),
    histograms: replayCalls(scenario.w3c, { random: ofCall, misfit }),
  }));
}

async function replayInBrowser(
  name: BrowserName,
  files: readonly string[],
  options: ReplayOptions,
  print: (line: string) => void,
): Promise<boolean> {
  // Imported here because it loads slowly and nothing else needs it.
  const { BrowserReplay } = await import('../../scenarios/replay/browser-replay');
  const started: Awaited<ReturnType<typeof BrowserReplay.start>>[] = [];
  try {
    return await replayFiles(files, options, print, async (scenario, misfit) => {
      // A file that is refused needs no browser.
      requireBrowserCan(scenario);
      const browser = started[0] ?? (await BrowserReplay.start(name));
      started[0] = browser;
      return browser.replay(scenario, { noise: options.noise ?? false, seed: options.seed ?? null, misfit });
    });
  } finally {
    await started[0]?.close();
  }
}

/** @returns whether all reports matched, and all stated credit could be. */
async function replayFiles(
  files: readonly string[],
  { config, noise = false }: ReplayOptions,
  print: (line: string) => void,
  run: Replay,
): Promise<boolean> {
  let allAsStated = true;
  for (const file of files) {
    const misfit: Misfit = ({ path }, message) => {
      allAsStated = false;
      say(`${file}: ${path}.credit: ${message}; Cointoss draws it instead`);
    };
    const document = scenarioOf(file, readJson(file));
    const scenario = accept(file, parseScenario(document, limitsFor(file, config)));
    try {
      const { reports, histograms } = await run(scenario, misfit);
      const hasCalls = scenario.w3c.calls.length > 0;
      print(JSON.stringify({ file, reports, ...(hasCalls ? { histograms } : {}) }));
      if (noise || !Object.hasOwn(document as object, 'output')) continue;
      const differences = {
        reports: firstDifference(scenario.reports, reports),
        histograms: firstOtherHistogram(scenario.w3c.histograms, histograms),
      };
      for (const [name, difference] of Object.entries(differences)) {
        if (difference === null) continue;
        allAsStated = false;
        say(`${file}: output.${name}: ${inWords(difference, name === 'reports' ? 'report' : 'histogram')}`);
      }
    } catch (error) {
      if (error instanceof ScenarioError) throw new InputError(`${file}: ${error.path}: ${error.message}`);
      throw error;
    }
  }
  return allAsStated;
}

const inWords = ({ expected, sent }: Difference, what: string): string =>
  `expected ${expected ?? `no ${what}`}, got ${sent ?? `no ${what}`}`;

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
