import type { Publisher } from '../cheating/cheated';
import type { Task, TaskInput } from './task';

/** In percent of all conversions, which all follow ads of honest publishers. */
const credited =
  (publisher: Publisher) =>
  ({ groups }: TaskInput): number => {
    const conversions = groups.reduce((sum, { truth }) => sum + truth, 0);
    const group = groups.find(({ name }) => name === publisher);
    // Of which an API says nothing.
    if (group?.variance === null) return NaN;
    return (100 * (group?.estimate ?? 0)) / conversions;
  };

const gained = credited('cheat');
const kept = credited('honest');

export const cheating: Task = {
  title: 'Pay the publishers',
  what: 'Each conversion follows an ad of an honest publisher. Another publisher cheats; in percent of all conversions, it is paid for those that the API credits to it.',
  needsFeatures: false,
  measures: 'conversions',
  numbers: {
    'gained by the cheat, %': gained,
    'lost by the honest, %': (input) => 100 - kept(input),
  },
};
