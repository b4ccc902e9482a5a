import { randomizedTriggerRate } from '../../../src/privacy/randomized-response';
import { ReportSpace } from '../../../src/states/report-space';
import { shapeOf } from '../../../src/states/source-space';
import type { Configuration } from '../quantities/configuration';
import type { OutputCounts } from '../unbiased/response-estimate';
import type { Estimator } from '../unbiased/estimator';
import { estimatorOf } from '../unbiased/estimator-of';
import { pairLevel, ranksOf } from '../intervals/ranks';
import { multinomial, seededUniform, type Uniform } from '../likelihood/statistical-draws';
import { within } from '../../../numeric/extremes';

/** What a trial shall find out. Rates are shares of people, from 0 to 1. */
export type Aim =
  /** The conversion rate, to within so much: half of its interval. */
  | { readonly kind: 'interval'; readonly within: number }
  /** Which of some campaigns is the best one: it alone has rank 1. It has the rate `best`, the others the rate of the trial. */
  | { readonly kind: 'best'; readonly best: number; readonly campaigns: number };

/** A trial as it is planned: each person has one source, and converts at most once. */
export interface Plan {
  /** Its mechanism must be randomized response, and its reports must count conversions. */
  readonly configuration: Configuration;
  /** The share of people who convert, from 0 to 1. */
  readonly rate: number;
  readonly aim: Aim;
  /** The wanted chance that the aim is reached, between 0 and 1. */
  readonly chance: number;
  /** The confidence level of the intervals and comparisons, as in the estimates. */
  readonly level: number;
}

/** What was simulated of one number of people: how many of `runs` trials reached the aim. */
export interface Tried {
  readonly people: number;
  readonly reached: number;
  readonly runs: number;
}

/** More than this many people are not tried. */
export const MOST_PEOPLE = 10_000_000;
/** The answer is at most this much too large. */
const PRECISION = 1.03;
const FIRST = 100;

/**
 * Finds the least number of people with whom simulated trials reach the aim as often as wanted. A trial is analysed as `comparedTotals` will
 * analyse its reports: with intervals and ranks for noise and sampling. Yields each number that was tried, so that a page can draw in between.
 * @returns the least number that was enough, null if `MOST_PEOPLE` are not; numbers below 97 % of it were not enough
 */
export function* peopleNeeded(
  plan: Plan,
  runs: number,
  seed: string,
): Generator<Tried, Tried | null, undefined> {
  const draw = trialOf(plan);
  const estimator = estimatorOf(plan.configuration);
  const tried = (people: number): Tried => {
    let reached = 0;
    for (let run = 0; run < runs; run++)
      if (isReached(plan, estimator, draw(people, seededUniform(seed, run)))) reached += 1;
    return { people, reached, runs };
  };
  return yield* leastPeople(tried, ({ reached }) => reached >= plan.chance * runs);
}

/**
 * Searches by doubling, then between the last two. Yields each number that was tried.
 * @param first is tried first; if it is enough, the search goes down from it by halving
 * @returns as `peopleNeeded`
 */
export function* leastPeople(
  tried: (people: number) => Tried,
  isEnough: (found: Tried) => boolean,
  first = FIRST,
): Generator<Tried, Tried | null, undefined> {
  let low = 0;
  let enough: Tried | null = null;
  for (let people = first; enough === null; people = Math.min(2 * people, MOST_PEOPLE)) {
    const found = tried(people);
    yield found;
    if (isEnough(found)) enough = found;
    else if (people === MOST_PEOPLE) return null;
    else low = people;
  }
  while (enough.people > low * PRECISION && enough.people - low > 1) {
    const found = tried(Math.round(low === 0 ? enough.people / 2 : Math.sqrt(low * enough.people)));
    yield found;
    if (isEnough(found)) enough = found;
    else low = found.people;
  }
  return enough;
}

/** The outputs of one simulated trial, counted for each campaign. */
type Trial = readonly OutputCounts[];

function trialOf({ configuration, rate, aim }: Plan): (people: number, uniform: Uniform) => Trial {
  const rates =
    aim.kind === 'interval'
      ? [rate]
      : Array.from({ length: aim.campaigns }, (_, campaign) => (campaign === 0 ? aim.best : rate));
  const draw = drawnOutputs(configuration);
  return (people, uniform) =>
    rates.map((own, campaign) => draw(Math.floor((people + campaign) / rates.length), own, uniform));
}

/** Draws the outputs of some people, each with one source, of whom this share converts. */
export function drawnOutputs(
  configuration: Configuration,
): (people: number, rate: number, uniform: Uniform) => OutputCounts {
  const kinds = outputKinds(configuration);
  return (people, rate, uniform) => {
    const chances = kinds.map(({ chanceAt }) => chanceAt(rate));
    const counts = multinomial(uniform, people, chances);
    return new Map(kinds.map(({ output }, kind) => [output, counts[kind] ?? 0]));
  };
}

/** Outputs with the same number of reports, of which a rate of conversions sees no more. */
interface OutputKind {
  /** One of them. */
  readonly output: string;
  /** The chance of any of them, at a rate of conversions. */
  readonly chanceAt: (rate: number) => number;
}

function outputKinds({ shape, epsilon }: Configuration): readonly OutputKind[] {
  const space = new ReportSpace(shapeOf(shape));
  const replaced = randomizedTriggerRate(space.states, epsilon);
  const kinds = new Map<number, { output: string; states: number }>();
  for (let state = 0n; state < space.states; state++) {
    const reports = space.decode(state).flat().length;
    const kind = kinds.get(reports);
    if (kind === undefined) kinds.set(reports, { output: String(state), states: 1 });
    else kind.states += 1;
  }
  const truthAt = (reports: number, rate: number): number =>
    reports === 0 ? 1 - rate : reports === 1 ? rate : 0;
  return [...kinds].map(([reports, { output, states }]) => ({
    output,
    chanceAt: (rate) => (replaced * states) / Number(space.states) + (1 - replaced) * truthAt(reports, rate),
  }));
}

function isReached({ aim, level }: Plan, estimator: Estimator, campaigns: Trial): boolean {
  const pairs = aim.kind === 'best' ? pairLevel(level, aim.campaigns) : level;
  const options = { level: pairs, randomness: 'noise-and-sampling' } as const;
  const rates = campaigns.map((tally) => estimator.estimate({ kind: 'conversion-rate' }, tally, options));
  if (aim.kind === 'best')
    return (
      ranksOf(rates.map(({ estimate, interval }) => ({ estimate: within(interval, estimate), interval })))[0]
        ?.worst === 1
    );
  const [low, high] = rates[0]?.interval ?? [NaN, NaN];
  return (high - low) / 2 <= aim.within;
}
