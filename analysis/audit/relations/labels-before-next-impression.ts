import { first, type Neighbours, type Relation, type Setup } from '../relation';
import { bought, manyBought, type Happening } from '../world';

const before = ({ later }: Setup, conversions: readonly Happening[]): Neighbours['worlds'] => {
  const rest = later === null ? [] : [later(4), bought(5, 'mall')];
  return [
    [first, ...rest],
    [first, ...conversions, ...rest],
  ];
};

/** A unit that cannot afford a private attribution loses the conversion, and with it what the output of another impression told. */
const promiseFor = ({ settings: { budget }, choice, label, labels }: Setup, conversions: number): number => {
  const isCharged = choice !== null && budget.unit !== 'user' && budget.epsilon !== null;
  // The later impression's conversion is charged, too.
  return isCharged && (conversions + 1) * choice > budget.attributionEpsilon ? labels(2) : label;
};

export const labelsBeforeNextImpression: Relation = {
  id: 'labels-before-next-impression',
  differs: 'a conversion before the next impression',
  observers: ['reporting-site'],
  neighbours: (setup) => ({ worlds: before(setup, [bought(2, 'shop')]), promise: promiseFor(setup, 1) }),
};

export const manyLabelsBeforeNextImpression: Relation = {
  id: 'many-labels-before-next-impression',
  differs: 'many conversions before the next impression',
  observers: ['reporting-site'],
  neighbours: (setup) => {
    const conversions = manyBought(2, 'shop');
    return { worlds: before(setup, conversions), promise: promiseFor(setup, conversions.length) };
  },
};
