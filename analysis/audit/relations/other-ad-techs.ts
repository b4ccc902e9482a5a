import { first, type Relation, type Setup } from '../relation';
import { bought, manyBought, shown, type Impression } from '../world';

/** As many impressions as use up a cap. */
const others = ({ settings }: Setup, publisher: string, advertiser: string): readonly Impression[] =>
  Array.from({ length: settings.budget.cap ?? 1 }, (_, index) =>
    shown(0, 10 + index, publisher, advertiser, { adTech: 'other' }),
  );

/** With one budget for all, the others can take it from the outputs whose labels they leave out. */
const lost = ({ settings, labels }: Setup, outputs: number): number =>
  settings.budget.perReportingSite ? 0 : labels(outputs);

/** What the observed ad tech does; its first impression is not the one that gets the credit. */
const rest = [shown(0.5, 2, 'blog', 'shop'), first, bought(5, 'shop')];

export const otherAdTechElsewhere: Relation = {
  id: 'other-ad-tech-elsewhere',
  differs: 'impressions of another ad tech elsewhere',
  observers: ['site'],
  neighbours: (setup) => ({
    worlds: [
      [first, bought(2, 'shop')],
      [...others(setup, 'elsewhere', 'unrelated'), first, bought(2, 'shop')],
    ],
    promise: lost(setup, 1),
  }),
};

export const otherAdTechHere: Relation = {
  id: 'other-ad-tech-here',
  differs: 'impressions of another ad tech on the page',
  observers: ['site'],
  neighbours: (setup) => ({
    worlds: [rest, [...others(setup, 'news', 'shop'), ...rest]],
    promise: lost(setup, setup.settings.budget.unit === 'user' ? 2 : 1),
  }),
};

export const conversionsOfOtherAdTech: Relation = {
  id: 'conversions-of-other-ad-tech',
  differs: 'conversions of another ad tech',
  observers: ['site'],
  neighbours: (setup) => {
    const seen = shown(0, 10, 'news', 'shop', { adTech: 'other' });
    return {
      worlds: [
        [seen, ...rest],
        [seen, ...manyBought(0.25, 'shop', { adTech: 'other' }), ...rest],
      ],
      promise: lost(setup, 2),
    };
  },
};
