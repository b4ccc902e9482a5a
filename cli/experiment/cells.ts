import { api, apiProblem, type Api } from '../../analysis/experiment/api';
import { cheating as cheatingOption, type Cheating } from '../../analysis/experiment/cheating/cheating';
import { PUBLISHER } from '../../analysis/experiment/cheating/cheated';
import { holdoutOf, type Experiment } from '../../analysis/experiment/experiment';
import type { Cell } from '../../analysis/experiment/grid';
import { columnsOf } from '../../analysis/experiment/task-numbers';
import { tasks } from '../../analysis/experiment/tasks/tasks';
import {
  allocationPolicies,
  policyProblem,
  type AllocationPolicy,
} from '../../analysis/simulation/allocation';
import {
  matchingFor,
  matchingMechanisms,
  type MatchingMechanism,
} from '../../analysis/simulation/matching-settings';
import type { Simulation } from '../../analysis/simulation/user';
import { replaySettings } from '../../analysis/scenario/scenario';
import { chromiumLimits } from '../../src/model/limits';
import type { Json } from '../../src/model/json';
import type { Settings } from '../../formats/settings/settings';
import { parseSettings } from '../../formats/settings/parse-settings';
import { choice, orNull, type Parser } from '../../formats/codec/codec';
import { parse, strictly } from '../../formats/codec/issues';
import { english } from '../../words/english';
import { InputError } from '../io/input';

/** How users of a cell are simulated and measured; `api` is null if the experiment compares no APIs. */
export interface CellSetup {
  readonly simulation: Omit<Simulation, 'noise'>;
  readonly api: Api | null;
  /** Null: nobody cheats, and nobody asks. */
  readonly cheating: Cheating | null;
}

/**
 * How users of a cell are simulated.
 * @param file of the experiment, for messages.
 * @throws InputError that names the axis, or the field of the settings.
 */
export function setupOfCell(
  { settings, allocation, matching, api: givenApi, cheating: givenCheating, values }: Cell,
  experiment: Experiment,
  file: string,
): CellSetup {
  const { grid, measure } = experiment;
  const parsed = settingsOf(settings, grid, file);
  const policy = optionOf<AllocationPolicy>(file, 'allocation', allocation, allocationPolicies);
  const chosen = optionOf<MatchingMechanism>(file, 'matching', matching, matchingMechanisms);
  const found = chosen === null ? null : matchingFor(chosen, parsed);
  const refused = (problem: string): InputError => {
    const described = grid.map(({ name }, index) => `${name} ${JSON.stringify(values[index])}`).join(', ');
    return new InputError(`${file}: grid: ${described}: ${problem}`);
  };
  const problem = policyProblem(policy ?? 'per-cap', parsed.budget);
  if (problem !== null) throw refused(problem);
  if (typeof found === 'string') throw refused(found);
  const measuring = givenApi === null ? null : acceptOption(file, 'api', givenApi, api);
  const unfit =
    (measuring === null
      ? null
      : apiProblem(measuring, parsed, measure.levels.length, measure.mostValue !== null)) ??
    taskProblem(measure, measuring);
  if (unfit !== null) throw refused(unfit);
  if (measure.tasks.includes('lift') && measuring?.kind === 'mixed')
    // The interval takes each conversion for one person's; a mix scales the people it measures up to all.
    throw refused(
      'must have another api than "mixed", because measure.tasks has lift, which compares conversions that were not scaled to all people; take one of its browsers instead',
    );
  if (measure.tasks.includes('lift') && holdoutOf(experiment) === null)
    throw refused('must have measure.holdout, or data.liftTest, because measure.tasks has lift');
  const simulation = {
    settings: parsed,
    limits: chromiumLimits,
    allocation: policy ?? 'per-cap',
    matching: found,
  };
  const cheats =
    givenCheating === null ? null : acceptOption(file, 'cheating', givenCheating, cheatingOption);
  const uncheatable = cheatingProblem(measure, measuring, cheats);
  if (uncheatable !== null) throw refused(uncheatable);
  return { simulation, api: measuring, cheating: cheats };
}

/** Why the tasks cannot be done; null if they can. */
function taskProblem(
  { levels, tasks: names, mostValue }: Experiment['measure'],
  measuring: Api | null,
): string | null {
  const quantity = mostValue === null ? 'conversions' : 'value';
  const other = names.find((name) => tasks[name].measures !== quantity);
  if (other !== undefined)
    return `must have ${mostValue === null ? 'a' : 'no'} measure.mostValue, because measure.tasks has ${other}`;
  if (mostValue !== null && measuring === null) return 'must have an api, because measure has mostValue';
  if (names.length === 0) return null;
  const alone = levels.flatMap((columns) => (columns.length === 1 ? columns : []));
  if (measuring === null || alone.length === 0)
    return 'must have an api, and a level of one column in measure.levels, because measure.tasks has tasks';
  const without = columnsOf(levels).find((column) => !alone.includes(column));
  const needing = names.find((name) => tasks[name].needsFeatures);
  return without === undefined || needing === undefined
    ? null
    : `must have the level ["${without}"] in measure.levels, because measure.tasks has ${needing}`;
}

/** Why nobody can cheat here, or what it gains cannot be measured; null if it can. */
function cheatingProblem(
  { levels, tasks: names }: Experiment['measure'],
  measuring: Api | null,
  cheats: Cheating | null,
): string | null {
  if (!names.includes('cheating') && cheats === null) return null;
  if (cheats === null) return 'must have cheating in the grid, because measure.tasks has cheating';
  if (measuring === null) return 'must have an api, because the grid has cheating';
  const [first] = levels.filter((columns) => columns.length === 1);
  return first?.[0] === PUBLISHER
    ? null
    : `must have ["${PUBLISHER}"] as the first level of one column in measure.levels, because the grid has cheating`;
}

function settingsOf(settings: Cell['settings'], grid: Experiment['grid'], file: string): Settings {
  const { value, errors } = strictly(parseSettings(settings, replaySettings));
  if (value !== null) return value;
  const [issue] = errors;
  const path = `settings.${issue?.path ?? ''}`;
  const isOfGrid = grid.some(({ name }) => path === name || path.startsWith(`${name}.`));
  const words = issue === undefined ? 'is not valid' : english.issueText({ ...issue, path: '' });
  throw new InputError(`${file}: ${isOfGrid ? 'grid.' : ''}${path}: ${words}`);
}

function optionOf<Choice extends string>(
  file: string,
  name: string,
  value: Json,
  choices: readonly [Choice, ...Choice[]],
): Choice | null {
  return acceptOption(file, name, value, orNull(choice(...choices)));
}

function acceptOption<T>(file: string, name: string, value: Json, parser: Parser<T>): T {
  const { value: read, errors } = parse({ [name]: value }, (place) => ({
    read: parser(place.at(name, value)),
  }));
  if (read !== null) return read.read;
  throw new InputError(`${file}: grid.${errors.slice(0, 1).map(english.issueText).join('')}`);
}
