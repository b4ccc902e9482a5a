import { first, type Relation } from '../relation';

export const impression: Relation = {
  id: 'impression',
  differs: 'whether an impression was shown',
  observers: ['reporting-site'],
  neighbours: () => ({ worlds: [[], [first]], promise: null }),
};
