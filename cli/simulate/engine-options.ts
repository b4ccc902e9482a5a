import { Option, type Command } from 'commander';
import type { PriorCost } from '../../analysis/optimize/private-prior';
import { replaySettings } from '../../analysis/scenario/scenario';
import { policyProblem, type AllocationPolicy } from '../../analysis/simulation/allocation';
import {
  matchingFor,
  matchingMechanisms,
  type Matching,
  type MatchingMechanism,
} from '../../analysis/simulation/matching-settings';
import { effectiveDebug, type Settings } from '../../formats/settings/settings';
import { chromiumLimits } from '../../src/model/limits';
import { InputError } from '../io/input';
import { readSettings } from '../io/settings-file';
import type { LogOptions, NamedFiles } from './log-options';
import type { PoolSetup } from './parts';

/** The options of how the engine processes a log. */
export interface EngineOptions extends LogOptions {
  readonly settings?: string;
  readonly allocation: AllocationPolicy;
  readonly matching?: MatchingMechanism;
  readonly sourceEpsilon?: string;
  readonly priorFile?: string;
  readonly priorColumn?: string;
  readonly priorEpsilon?: string;
  readonly priorSplit: PriorCost['split'];
  readonly allowNoEffect?: boolean;
}

export function addEngineOptions(command: Command): Command {
  return command
    .option(
      '--source-epsilon <epsilon>',
      'the ε that all sources register, instead of their event_level_epsilon',
    )
    .option(
      '--settings <file>',
      "the extension's settings, or a trial with its settings; by default the defaults with Chromium's delivery",
    )
    .addOption(
      new Option('--allocation <policy>', 'how impressions share the privacy budget of a unit')
        .choices(['per-cap', 'per-count', 'random-cap'] satisfies AllocationPolicy[])
        .default('per-cap' satisfies AllocationPolicy),
    )
    .addOption(
      new Option(
        '--matching <mechanism>',
        'credit each click with at most one conversion, by the private attribution of the settings',
      ).choices(matchingMechanisms),
    )
    .option(
      '--prior-file <file>',
      'past sources, one per row, for the prior of the label noise: a file, or - for CSV from standard input',
    )
    .option(
      '--prior-column <name>',
      'the column with the values of past sources; for rr-with-prior, their states',
    )
    .option('--prior-epsilon <epsilon>', 'the ε for counting past sources')
    .addOption(
      new Option(
        '--prior-split <split>',
        'people: the rows belong to other people; budget: to the people in the log, whose budget pays',
      )
        .choices(['people', 'budget'] satisfies PriorCost['split'][])
        .default('people' satisfies PriorCost['split']),
    )
    .option(
      '--allow-no-effect',
      'accept settings that had no effect, and a map that makes no event of a kind or no match',
    );
}

/** The files that these options name. */
export const filesOf = ({ settings, priorFile }: EngineOptions): NamedFiles => ({
  'the settings': settings,
  'the past sources': priorFile,
});

/** What of a simulation these options decide. */
type EngineSetup = Pick<
  PoolSetup,
  'settings' | 'noise' | 'allocation' | 'matching' | 'seed' | 'sourceEpsilon'
>;

/**
 * @param adapted what the command makes of the settings
 * @throws InputError
 */
export function engineSetupOf(
  options: EngineOptions,
  adapted: (settings: Settings) => Settings = (settings) => settings,
): EngineSetup {
  const { settings: file, allocation, noise, sourceEpsilon } = options;
  const settings = adapted(file === undefined ? replaySettings : readSettings(file));
  const problem = policyProblem(allocation, settings.budget);
  if (problem !== null) throw settingsError(options, problem);
  return {
    settings,
    noise,
    allocation,
    matching: matchingIn(settings, options),
    seed: options.seed ?? effectiveDebug(settings).seed,
    sourceEpsilon: sourceEpsilon === undefined ? null : sourceEpsilonOf(sourceEpsilon),
  };
}

/** @throws InputError */
function sourceEpsilonOf(text: string): number {
  const most = chromiumLimits.maxSettableEpsilon;
  const epsilon = text.trim() === '' ? NaN : Number(text);
  if (epsilon >= 0 && epsilon <= most) return epsilon;
  throw new InputError(`simulate: --source-epsilon: must be a number from 0 to ${most}, was "${text}"`);
}

const settingsError = ({ settings }: EngineOptions, problem: string): InputError =>
  new InputError(`${settings ?? 'simulate: --settings'}: ${problem}`);

function matchingIn(settings: Settings, options: EngineOptions): Matching | null {
  if (options.matching === undefined) return null;
  const matching = matchingFor(options.matching, settings);
  if (typeof matching === 'string') throw settingsError(options, matching);
  return matching;
}
