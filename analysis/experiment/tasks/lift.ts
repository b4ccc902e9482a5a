import { liftOf, type ArmEstimate, type Lift } from '../../estimate/lift';
import type { Arm } from '../../simulation/lift-test';
import type { Task, TaskGroup, TaskInput } from './task';

/** As the estimates of the arms have it, or their truth. Null without both arms. */
function found(
  { groups, holdout: held, confidence }: TaskInput,
  armOf: (group: TaskGroup) => ArmEstimate,
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
  found(input, ({ estimate, variance }) => ({ estimate, variance }));

const withoutNoise = (input: TaskInput): Lift | null =>
  found(input, ({ truth }) => ({ estimate: truth, variance: 0 }));

/** In conversions, to either side. */
const errorOfCaused = (input: TaskInput): number =>
  Math.abs((estimated(input)?.caused.estimate ?? NaN) - (withoutNoise(input)?.caused.estimate ?? NaN));

function halfOfInterval(input: TaskInput): number {
  const [low, high] = estimated(input)?.caused.interval ?? [NaN, NaN];
  return (high - low) / 2;
}

function isFound(input: TaskInput): number {
  const lift = estimated(input);
  return lift === null ? NaN : 100 * Number(lift.caused.interval[0] > 0);
}

export const lift: Task = {
  title: 'Measure the lift',
  what: 'The conversions of the people who saw the ads are compared with those of the people whom chance held out. The interval is for the noise and for the choice of people; the lift is found if it is above 0.',
  needsFeatures: false,
  numbers: {
    'error of the conversions caused': errorOfCaused,
    'half of their interval': halfOfInterval,
    'lift found, %': isFound,
  },
};
