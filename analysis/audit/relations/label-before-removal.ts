import { first, type Relation } from '../relation';
import { bought, shown } from '../world';

export const labelBeforeRemoval: Relation = {
  id: 'label-before-removal',
  differs: 'a conversion of one impression that a later one removes, for the limit on destinations',
  observers: ['reporting-site'],
  limits: { maxDestinationsPerReportingSite: 1 },
  neighbours: ({ label }) => {
    const remover = shown(10, 2, 'news', 'mall');
    return {
      worlds: [
        [first, remover],
        [first, bought(2, 'shop'), remover],
      ],
      promise: label,
    };
  },
};
