import { liftOf, type ArmEstimate, type Lift } from '../../estimate/lift/lift';
import type { Interval } from '../../estimate/intervals/interval';
import { arms, type Arm } from '../../../recording/lift-test';
import type { Task, TaskGroup, TaskInput } from './task';

/** An arm without sources; null if both have some. */
export const missingArm = (values: readonly string[]): Arm | null =>
  arms.find((arm) => !values.includes(arm)) ?? null;

/** As the estimates of the arms have it, or their truth. Null if they say nothing. */
function found(
  { groups, holdout: held, confidence }: TaskInput,
  armOf: (group: TaskGroup) => ArmEstimate | null,
): Lift | null {
  const arm = (wanted: Arm): ArmEstimate | null => {
    const group = groups.find(({ name }) => name === wanted);
    return group === undefined ? null : armOf(group);
  };
  const [exposed, holdout] = [arm('exposed'), arm('holdout')];
  return exposed === null || holdout === null || held === null
    ? null
    : liftOf({ exposed, holdout, held }, confidence);
}

const estimated = (input: TaskInput): Lift | null =>
  found(input, ({ estimate, variance }) => (variance === null ? null : { estimate, variance }));

const withoutNoise = (input: TaskInput): Lift | null =>
  found(input, ({ truth }) => ({ estimate: truth, variance: 0 }));

/** In conversions, to either side. */
const errorOfCaused = (input: TaskInput): number =>
  Math.abs((estimated(input)?.caused.estimate ?? NaN) - (withoutNoise(input)?.caused.estimate ?? NaN));

/** Any number of conversions may have been caused if the estimates say nothing. */
const intervalOf = (input: TaskInput): Interval => estimated(input)?.caused.interval ?? [-Infinity, Infinity];

function halfOfInterval(input: TaskInput): number {
  const [low, high] = intervalOf(input);
  return (high - low) / 2;
}

const isFound = (input: TaskInput): number => 100 * Number(intervalOf(input)[0] > 0);

export const lift: Task = {
  title: 'Measure the lift',
  what: 'The conversions of the people who saw the ads are compared with those of the people whom chance held out. The interval is for the noise and for the choice of people; the lift is found if it is above 0.',
  needsFeatures: false,
  measures: 'conversions',
  numbers: {
    'error of the conversions caused': errorOfCaused,
    'half of their interval': halfOfInterval,
    'lift found, %': isFound,
  },
};
