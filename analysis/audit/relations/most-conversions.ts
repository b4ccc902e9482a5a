import { first, type Relation } from '../relation';
import { manyBought } from '../world';

/** More at once than any source reports: of all its states the true one is then the last. */
export const mostConversions: Relation = {
  id: 'most-conversions',
  differs: 'as many conversions of one impression at once as its reports can tell',
  observers: ['reporting-site'],
  neighbours: ({ label }) => ({ worlds: [[first], [first, ...manyBought(2, 'shop')]], promise: label }),
};
