import { Option } from 'commander';
import { peopleForLift, type ArmMeasure, type LiftPlan } from '../../analysis/estimate/lift/people-for-lift';
import {
  peopleNeeded,
  MOST_PEOPLE,
  type Aim,
  type Plan,
  type Tried,
} from '../../analysis/estimate/lift/people-needed';
import { countsConversions } from '../../analysis/estimate/result/totals';
import type { JsonObject } from '../../src/model/json';
import type { SourceType } from '../../src/model/limits';
import { epsilon, type Epsilon } from '../../src/model/units';
import { randomUuid } from '../../src/privacy/uniform';
import { ReportSpace } from '../../src/states/report-space';
import { shapeOf } from '../../src/states/source-space';
import type { DefineCommand } from '../io/define';
import { InputError, integerOption, openShareOption, readJson } from '../io/input';
import { liftOptions, refuseWithoutLift } from '../io/lift-options';
import { showProgress } from '../io/progress';
import { randomFor } from '../io/random';
import { sourceIn } from '../io/source-file';
import { sourceTypeOption } from '../io/source-type-option';

interface PowerOptions {
  readonly sourceType?: SourceType;
  readonly epsilon?: string;
  readonly rate: string;
  readonly within?: string;
  readonly best?: string;
  readonly campaigns: string;
  readonly lift?: string;
  readonly holdout: string;
  readonly api: LiftApi;
  readonly chance: string;
  readonly level: string;
  readonly runs: string;
  readonly seed?: string;
}

const liftApis = ['event-level', 'summary', 'w3c'] as const;
type LiftApi = (typeof liftApis)[number];

/** All are looked at once. */
const MOST_STATES = 1_000_000n;

/** `cointoss power`: how many people a trial needs; see docs/power.md. */
export const define: DefineCommand = (command, { print, sayNo }) => {
  command
    .argument(
      '[file]',
      'a source registration (JSON), or - for standard input; by default the default registration of the type',
    )
    .addOption(sourceTypeOption())
    .option('--epsilon <epsilon>', 'the ε of each source, instead of event_level_epsilon')
    .requiredOption('--rate <share>', 'the expected share of people who convert: 0.02')
    .addOption(
      new Option(
        '--within <share>',
        "the goal: half the width of the conversion rate's interval: 0.005",
      ).conflicts('best'),
    )
    .option(
      '--best <share>',
      'the goal: find the best campaign, which has this rate, while the others have --rate',
    )
    .addOption(
      new Option('--campaigns <count>', 'with --best: the number of campaigns, of equal size')
        .default('2')
        .conflicts('within'),
    )
    .addOption(
      new Option(
        '--lift <share>',
        'the goal: find that the ads make this share more people convert than --rate: 0.2',
      ).conflicts(['within', 'best', 'campaigns']),
    )
    .option('--holdout <share>', 'with --lift: the share of the people who are held out', '0.5')
    .addOption(
      new Option('--api <api>', 'with --lift: what measures the conversions of both arms')
        .choices(liftApis)
        .default('event-level')
        .conflicts(['within', 'best']),
    )
    .option('--chance <chance>', 'the probability that a trial of this size reaches the goal', '0.8')
    .option('--level <level>', 'confidence level of the intervals, and of all comparisons together', '0.95')
    .option('--runs <count>', 'simulated trials for each number of people', '1000')
    .option('--seed <seed>', 'make the simulation repeatable')
    .action((file: string | undefined, options: PowerOptions) => {
      if (options.lift === undefined) refuseWithoutLift('power', command, ['holdout', 'api']);
      const runs = integerOption('power', 'runs', options.runs, 10n, 100_000n);
      const { steps, facts } = questionOf(file, options);
      const found = search(steps(runs, options.seed ?? randomUuid(randomFor(undefined)(0))));
      print(JSON.stringify({ ...answer(found), ...facts }));
      if (!found.isEnough) sayNo();
    });
};

interface Found extends Tried {
  readonly isEnough: boolean;
}

type Steps = ReturnType<typeof peopleNeeded>;

/** What is asked, with the facts that the answer repeats. */
interface Question {
  readonly steps: (runs: number, seed: string) => Steps;
  readonly facts: JsonObject;
}

function questionOf(file: string | undefined, options: PowerOptions): Question {
  if (options.lift === undefined) {
    const plan = planOf(file, options);
    const { configuration, rate, aim, level } = plan;
    const goal =
      aim.kind === 'interval' ? { within: aim.within } : { best: aim.best, campaigns: aim.campaigns };
    return {
      steps: (runs, seed) => peopleNeeded(plan, runs, seed),
      facts: { epsilon: configuration.epsilon, rate, ...goal, level },
    };
  }
  const { epsilon: of, measure } = armMeasureOf(file, options);
  const plan: LiftPlan = {
    ...liftOptions('power', { ...options, lift: options.lift }),
    measure,
    chance: openShareOption('power', 'chance', options.chance),
    level: openShareOption('power', 'level', options.level),
  };
  const { lift, holdout, rate, level } = plan;
  if (lift === 0) throw new InputError('power: --lift: must not be 0, which no number of people finds');
  return {
    steps: (runs, seed) => peopleForLift(plan, runs, seed),
    facts: { api: options.api, epsilon: of, rate, lift, holdout, level },
  };
}

/** With sums, each person's conversion may use all of ε, of which W3C Attribution counts a change twice. */
function armMeasureOf(
  file: string | undefined,
  options: PowerOptions,
): { readonly epsilon: number; readonly measure: ArmMeasure } {
  if (options.api === 'event-level') {
    const configuration = configurationOf(file, options);
    return { epsilon: configuration.epsilon, measure: { kind: 'reports', configuration } };
  }
  if (file !== undefined || options.epsilon === undefined)
    throw new InputError(
      `power: --api ${options.api}: must have --epsilon and no registration, because sums do not depend on one`,
    );
  if (options.sourceType !== undefined)
    throw new InputError(
      `power: --source-type: found "${options.sourceType}", but with --api ${options.api} sums do not depend on the type of a source; leave it out`,
    );
  const of = epsilonOf(options.epsilon);
  return { epsilon: of, measure: { kind: 'sum', scale: (options.api === 'w3c' ? 2 : 1) / of } };
}

function search(steps: Steps): Found {
  let last: Tried = { people: 0, reached: 0, runs: 0 };
  const stopShowing = showProgress(() => `power: ${last.people} people tried`);
  try {
    for (;;) {
      const { done, value } = steps.next();
      if (done !== true) last = value;
      else return value === null ? { ...last, isEnough: false } : { ...value, isEnough: true };
    }
  } finally {
    stopShowing();
  }
}

/** With the standard error of the simulated chance. */
function answer({ people, reached, runs, isEnough }: Found): JsonObject {
  const chance = reached / runs;
  return {
    people: isEnough ? people : null,
    ...(isEnough ? {} : { tried: MOST_PEOPLE }),
    chance,
    chance_error: Math.sqrt((chance * (1 - chance)) / runs),
    runs,
  };
}

function planOf(file: string | undefined, options: PowerOptions): Plan {
  const rate = shareOption('rate', options.rate);
  return {
    configuration: configurationOf(file, options),
    rate,
    aim: aimOf(options, rate),
    chance: openShareOption('power', 'chance', options.chance),
    level: openShareOption('power', 'level', options.level),
  };
}

function aimOf({ within, best, campaigns }: PowerOptions, rate: number): Aim {
  if (within !== undefined) return { kind: 'interval', within: openShareOption('power', 'within', within) };
  if (best === undefined)
    throw new InputError(
      'power: --within, --best or --lift: one must be given: what the trial shall find out',
    );
  const rateOfBest = shareOption('best', best);
  if (rateOfBest <= rate)
    throw new InputError(`power: --best: must be greater than --rate, ${rate}, was "${best}"`);
  return {
    kind: 'best',
    best: rateOfBest,
    campaigns: integerOption('power', 'campaigns', campaigns, 2n, 1000n),
  };
}

function configurationOf(
  file: string | undefined,
  { sourceType, epsilon: own }: PowerOptions,
): Plan['configuration'] {
  if (sourceType === undefined)
    throw new InputError('power: --source-type: must be navigation or event, because the noise differs');
  const name = file ?? 'the default registration';
  const source = sourceIn(name, file === undefined ? {} : readJson(file), sourceType);
  if (!countsConversions(source.triggerSpecs))
    throw new InputError(
      `${name}: trigger_specs: must count conversions, but reports of these say values or only some numbers; write "summary_operator": "count" with buckets 1, 2, …`,
    );
  const { states } = new ReportSpace(shapeOf(source));
  if (states > MOST_STATES)
    throw new InputError(`${name}: must have at most ${MOST_STATES} states, has ${states}`);
  return { shape: source, epsilon: epsilonOf(own ?? source.eventLevelEpsilon), mechanism: { kind: 'rr' } };
}

function epsilonOf(given: string | number): Epsilon {
  const value = Number(given);
  if (value > 0 && value < Infinity) return epsilon(value);
  throw new InputError(
    `power: --epsilon: must be a finite number greater than 0, without which reports say nothing, was "${given}"`,
  );
}

function shareOption(name: string, text: string): number {
  const value = numberIn(text);
  if (value >= 0 && value <= 1) return value;
  throw new InputError(`power: --${name}: must be a share from 0 to 1, such as 0.02 for 2 %, was "${text}"`);
}

const numberIn = (text: string): number => (text.trim() === '' ? NaN : Number(text));
