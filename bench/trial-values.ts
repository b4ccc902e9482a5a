import type { Setting } from './trial-setting';
import { FLEXIBLE, numbered, statesOf, trial } from './trial-truths';

const GROUPS = 8;

/** Groups whose values are estimated. In the second setting, few sources reach the third bucket, a third of them in the first group. */
export const VALUES: readonly Setting[] = [
  {
    name: 'flexible, ε = 6, values of 8 groups',
    type: 'navigation',
    fields: FLEXIBLE,
    epsilon: 6,
    groups: (source) =>
      numbered(GROUPS).map((group, index) => ({
        group,
        truths: trial(250, 10 + 5 * index, statesOf(source, 2, [[0], [1], [0, 1]])),
      })),
    kinds: ['conversions', 'value'],
  },
  {
    name: 'flexible, ε = 6, values of 8 groups with a heavy tail',
    type: 'navigation',
    fields: FLEXIBLE,
    epsilon: 6,
    groups: (source) =>
      numbered(GROUPS).map((group, index) => {
        const few = Math.round(12 / (index + 1));
        return {
          group,
          truths: [
            ...trial(250 - few, 25, statesOf(source, 2, [[0], [1]])),
            ...trial(few, few, statesOf(source, 2, [[0, 0, 1]])),
          ],
        };
      }),
    kinds: ['conversions', 'value'],
    levelOf: (group) => (group.length === 0 ? 'all' : group[0] === '00' ? 'the first' : 'the others'),
  },
];
