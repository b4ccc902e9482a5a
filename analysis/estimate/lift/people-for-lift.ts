import type { Configuration } from '../quantities/configuration';
import { estimatorOf } from '../unbiased/estimator-of';
import { signOfLift, type ArmEstimate } from './lift';
import { drawnOutputs, leastPeople, MOST_PEOPLE, type Tried } from './people-needed';
import { binomial, seededUniform, type Uniform } from '../likelihood/statistical-draws';

/** How the conversions of an arm become known. */
export type ArmMeasure =
  /** Each person has a source with noise, as of event-level reports. Its mechanism must be randomized response. */
  | { readonly kind: 'reports'; readonly configuration: Configuration }
  /** A sum with Laplace noise of this scale, in conversions. */
  | { readonly kind: 'sum'; readonly scale: number };

/** A lift test as it is planned: each person converts at most once. Shares are between 0 and 1. */
export interface LiftPlan {
  /** How many more convert because of the ads, as a share of `rate`; not 0. */
  readonly lift: number;
  /** The share of the people who are held out. */
  readonly holdout: number;
  /** The share of the people who convert without the ads. */
  readonly rate: number;
  readonly measure: ArmMeasure;
  /** The wanted chance that the lift is found: its interval does not contain 0, and has its sign. */
  readonly chance: number;
  /** The confidence level of the interval. */
  readonly level: number;
}

/** With fewer expected conversions of the smaller arm, the chance need not grow with the people: one conversion more may hide the lift. */
const CONVERSIONS = 10;

/** As `peopleNeeded`, with people of both arms. */
export function* peopleForLift(
  plan: LiftPlan,
  runs: number,
  seed: string,
): Generator<Tried, Tried | null, undefined> {
  const draw = armDraw(plan);
  const tried = (people: number): Tried => {
    let reached = 0;
    for (let run = 0; run < runs; run++)
      if (isFound(plan, people, draw, seededUniform(seed, run))) reached += 1;
    return { people, reached, runs };
  };
  const smaller = Math.min(plan.holdout, 1 - plan.holdout) * plan.rate;
  // From here down, the search stops at the first number that is not enough, and never sees those far below.
  const first = Math.min(Math.ceil(CONVERSIONS / smaller), MOST_PEOPLE);
  return yield* leastPeople(tried, ({ reached }) => reached >= plan.chance * runs, first);
}

type ArmDraw = (people: number, rate: number, uniform: Uniform) => ArmEstimate;

function armDraw({ measure, level }: LiftPlan): ArmDraw {
  if (measure.kind === 'sum') {
    const { scale } = measure;
    return (people, rate, uniform) => ({
      estimate: binomial(uniform, people, rate) + laplace(uniform, scale),
      variance: 2 * scale ** 2,
    });
  }
  const outputs = drawnOutputs(measure.configuration);
  const estimator = estimatorOf(measure.configuration);
  return (people, rate, uniform) =>
    estimator.estimate({ kind: 'conversions' }, outputs(people, rate, uniform), {
      level,
      randomness: 'noise',
    });
}

function laplace(uniform: Uniform, scale: number): number {
  const away = uniform() - 1 / 2;
  return -scale * Math.sign(away) * Math.log(1 - 2 * Math.abs(away));
}

function isFound(plan: LiftPlan, people: number, draw: ArmDraw, uniform: Uniform): boolean {
  const { lift, holdout: held, rate, level } = plan;
  const heldOut = binomial(uniform, people, held);
  const holdout = draw(heldOut, rate, uniform);
  const exposed = draw(people - heldOut, rate * (1 + lift), uniform);
  return signOfLift({ exposed, holdout, held }, level) === Math.sign(lift);
}
