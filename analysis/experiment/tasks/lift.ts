import { liftOf, type ArmEstimate, type Lift } from '../../estimate/lift';
import type { Arm } from '../../simulation/lift-test';
import type { Task, TaskGroup, TaskOptions } from './task';

/** As the estimates of the arms have it, or their truth. Null without both arms. */
function found(
  groups: readonly TaskGroup[],
  { holdout: held, confidence }: TaskOptions,
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

const estimated = (groups: readonly TaskGroup[], options: TaskOptions): Lift | null =>
  found(groups, options, ({ estimate, variance }) => ({ estimate, variance }));

const withoutNoise = (groups: readonly TaskGroup[], options: TaskOptions): Lift | null =>
  found(groups, options, ({ truth }) => ({ estimate: truth, variance: 0 }));

/** In conversions, to either side. */
const errorOfCaused = (groups: readonly TaskGroup[], options: TaskOptions): number =>
  Math.abs(
    (estimated(groups, options)?.caused.estimate ?? NaN) -
      (withoutNoise(groups, options)?.caused.estimate ?? NaN),
  );

function halfOfInterval(groups: readonly TaskGroup[], options: TaskOptions): number {
  const [low, high] = estimated(groups, options)?.caused.interval ?? [NaN, NaN];
  return (high - low) / 2;
}

function isFound(groups: readonly TaskGroup[], options: TaskOptions): number {
  const lift = estimated(groups, options);
  return lift === null ? NaN : 100 * Number(lift.caused.interval[0] > 0);
}

export const lift: Task = {
  title: 'Measure the lift',
  what: 'The conversions of the people who saw the ads are compared with those of the people whom chance held out. The interval is for the noise and for the choice of people; the lift is found if it is above 0.',
  numbers: {
    'error of the conversions caused': errorOfCaused,
    'half of their interval': halfOfInterval,
    'lift found, %': isFound,
  },
};
