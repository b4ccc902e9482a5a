import { deltaOfPart } from '../../../src/limits/privacy-budget';
import {
  first,
  withBoth,
  MOST_IMPRESSIONS,
  withMore,
  type Neighbours,
  type Relation,
  type Setup,
} from '../relation';
import {
  bought,
  isOwn,
  manyBought,
  OBSERVED,
  originOf,
  shown,
  type Happening,
  type Impression,
} from '../world';

export const labelsOfUnit: Relation = {
  id: 'labels-of-unit',
  differs: 'the conversions of all impressions of a unit',
  neighbours: ({ later, labels, label }) => {
    const second = later?.(4);
    return second === undefined
      ? { worlds: [[first], [first, bought(2, 'shop')]], promise: label }
      : {
          worlds: withBoth(second),
          promise: labels(2),
        };
  },
};

/** At once, so that no later impression gets the credit. */
const withItsConversion = (impression: Impression): readonly [Impression, ReturnType<typeof bought>] => [
  impression,
  bought(impression.at + 0.5, 'shop'),
];

/** Registers another source if there was a report, or two if there was none. */
const adversary = (later: NonNullable<Setup['later']>): Happening => ({
  kind: 'adversary',
  at: 30,
  next: (received) => [later(30), ...(received.length === 0 ? [{ ...later(31), id: 3 }] : [])],
});

const before = ({ later }: Setup, conversions: readonly Happening[]): Neighbours['worlds'] =>
  withMore([first], conversions, later === null ? [] : [later(4), bought(5, 'mall')]);

/** A unit that cannot afford a private attribution loses the conversion, and with it what the output of another impression revealed. */
const promiseFor = ({ settings: { budget }, choice, label, labels }: Setup, conversions: number): number => {
  const isCharged = choice !== null && budget.unit !== 'user' && budget.epsilon !== null;
  // The later impression's conversion is charged, too.
  return isCharged && (conversions + 1) * choice > budget.attributionEpsilon ? labels(2) : label;
};

export const labelsBeforeNextImpression: Relation = {
  id: 'labels-before-next-impression',
  differs: 'a conversion before the next impression',
  neighbours: (setup) => ({ worlds: before(setup, [bought(2, 'shop')]), promise: promiseFor(setup, 1) }),
};

const adTechs = [OBSERVED, 'other', 'third'];

export const labelsOfAll: Relation = {
  id: 'labels-of-all',
  differs: 'the conversions of impressions of three ad techs',
  observers: ['reporting-site', 'everyone'],
  neighbours: ({ settings: { budget }, observer, labels, labelsOfAny }) => {
    const seen = adTechs.map((adTech, index) =>
      shown(1 + index, 1 + index, `news-${index}`, `shop-${index}`, { adTech }),
    );
    const conversions = adTechs.map((adTech, index) => bought(5, `shop-${index}`, { adTech }));
    const isOne = observer !== 'everyone';
    const observed = adTechs.filter((adTech) => !isOne || isOwn(budget.owners, originOf(adTech))).length;
    const ofPerson = isOne && budget.unit === 'user' ? labels : labelsOfAny;
    return {
      worlds: [seen, [...seen, ...conversions]],
      promise: isOne || budget.joint !== null ? ofPerson(observed) : null,
    };
  },
};

export const conversion: Relation = {
  id: 'conversion',
  differs: 'a conversion with two candidates',
  neighbours: ({ settings: { budget }, labels, labelsOfAny }) => {
    const other = shown(2, 2, 'blog', 'shop');
    return {
      worlds: withMore([first, other], [bought(5, 'shop')]),
      promise: budget.unit === 'user' ? labels(2) : budget.joint === null ? null : labelsOfAny(2),
    };
  },
};

export const impression: Relation = {
  id: 'impression',
  differs: 'whether an impression was shown',
  neighbours: () => ({ worlds: [[], [first]], promise: null }),
};

export const labelsOfOneUnit: readonly Relation[] = [
  {
    id: 'labels-on-other-days',
    differs: 'the conversions of two impressions of a unit, days apart',
    neighbours: ({ later, labels }) => {
      const second = later?.(60);
      return second === undefined ? null : { worlds: withBoth(second), promise: labels(2) };
    },
  },
  {
    id: 'labels-after-change',
    differs: 'the conversions of a unit before and after its K was raised',
    neighbours: ({ settings: { budget }, later, joint }) => {
      const { epsilon, attributionEpsilon, cap } = budget;
      if (later === null || epsilon === null || cap === null || cap >= MOST_IMPRESSIONS) return null;
      const before = Array.from({ length: cap }, (_, index) => ({ ...first, at: 1 + index, id: 10 + index }));
      const change = { kind: 'change', at: cap + 1.5, budget: { cap: cap + 1 } } as const;
      const rest = [change, later(cap + 2)];
      return {
        worlds: [
          [...before, ...rest],
          [...before.flatMap(withItsConversion), ...rest, bought(cap + 3, 'mall')],
        ],
        promise: Math.min(epsilon - attributionEpsilon, joint),
        delta: deltaOfPart(budget),
      };
    },
  },
  {
    id: 'labels-for-adversary',
    differs: 'all conversions of a unit, for an ad tech that registers by what was reported',
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
  },
  {
    id: 'label-beyond-cap',
    differs: 'a conversion of the first impression beyond K',
    neighbours: ({ settings: { budget }, later }) => {
      const { cap } = budget;
      if (later === null || cap === null || cap >= MOST_IMPRESSIONS) return null;
      const within = Array.from({ length: cap }, (_, index) => ({ ...first, id: 10 + index }));
      const seen = [...within, later(2)];
      return { worlds: [seen, [...seen, bought(10, 'mall')]], promise: 0 };
    },
  },
  {
    id: 'many-labels-before-next-impression',
    differs: 'many conversions before the next impression',
    neighbours: (setup) => {
      const conversions = manyBought(2, 'shop');
      return { worlds: before(setup, conversions), promise: promiseFor(setup, conversions.length) };
    },
  },
  {
    id: 'other-unit',
    differs: 'impressions and conversions of another unit',
    observers: ['one-source'],
    neighbours: ({ settings: { budget }, label }) => {
      if (budget.unit === 'user') return null;
      const rest = [first, bought(2, 'shop')];
      const others = Array.from({ length: budget.cap ?? 1 }, (_, index) =>
        shown(0, 10 + index, 'blog', 'mall'),
      );
      return {
        worlds: [rest, [...others, bought(0.5, 'mall'), ...rest]],
        promise: budget.joint === null ? 0 : label,
      };
    },
  },
];
