import type { Relation } from '../relation';
import { bought, isOwn, OBSERVED, originOf, shown } from '../world';

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
