import { first, type Relation, type Setup } from '../relation';
import { bought, shown, type Happening } from '../world';

/** Registers another source if there was a report, or two if there was none. */
const adversary = (later: NonNullable<Setup['later']>): Happening => ({
  kind: 'adversary',
  at: 30,
  next: (received) => [later(30), ...(received.length === 0 ? [{ ...later(31), id: 3 }] : [])],
});

export const labelsForAdversary: Relation = {
  id: 'labels-for-adversary',
  differs: 'all conversions of a unit, for an ad tech that registers by what was reported',
  observers: ['reporting-site'],
  neighbours: ({ later, labels, labelsOfAny, whole }) => {
    const chosen = adversary(later ?? ((at) => shown(at, 2, 'blog', 'mall')));
    return {
      worlds: [
        [first, chosen],
        [first, bought(2, 'shop'), chosen, bought(40, 'mall')],
      ],
      promise: later === null ? labelsOfAny(2) : Math.min(labels(3), whole),
    };
  },
};
