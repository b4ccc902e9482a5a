import { first, type Relation } from '../relation';
import { bought } from '../world';

export const labelsOfSeveralAdTechs: Relation = {
  id: 'labels-of-several-ad-techs',
  differs: 'the conversions of one unit that two ad techs report',
  observers: ['everyone'],
  neighbours: ({ settings: { budget }, label, labels }) => {
    const both = [first, { ...first, id: 2, adTech: 'other' }];
    return {
      worlds: [both, [...both, bought(2, 'shop'), bought(2, 'shop', { adTech: 'other' })]],
      promise: budget.perReportingSite ? 2 * label : labels(2),
    };
  },
};
