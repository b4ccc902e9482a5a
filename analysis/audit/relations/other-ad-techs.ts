import { first, type Relation, type Setup } from '../relation';
import { bought, isOwn, manyBought, originOf, shown, type Impression } from '../world';

/** As many impressions as use up a cap. */
const others = ({ settings }: Setup, publisher: string, advertiser: string): readonly Impression[] =>
  Array.from({ length: settings.budget.cap ?? 1 }, (_, index) =>
    shown(0, 10 + index, publisher, advertiser, { adTech: 'other' }),
  );

const isOneOwner = ({ settings: { budget } }: Setup): boolean => isOwn(budget.owners, originOf('other'));

/**
 * The promise about the impressions of another ad tech; null: nothing, because the observer sees their reports. With a joint budget, they can use
 * up what other outputs need, so the observer may lose the labels of these outputs.
 */
function promiseFor(setup: Setup, outputs: number): number | null {
  const { observer, settings, labels } = setup;
  if (observer === 'everyone' || isOneOwner(setup)) return null;
  return settings.budget.joint === null ? 0 : labels(outputs);
}

/** What the observed ad tech does; its first impression is not the one that gets the credit. */
const rest = [shown(0.5, 2, 'blog', 'shop'), first, bought(5, 'shop')];

export const otherAdTechElsewhere: Relation = {
  id: 'other-ad-tech-elsewhere',
  differs: 'impressions of another ad tech elsewhere',
  neighbours: (setup) => ({
    worlds: [
      [first, bought(2, 'shop')],
      [...others(setup, 'elsewhere', 'unrelated'), first, bought(2, 'shop')],
    ],
    promise: promiseFor(setup, 1),
  }),
};

export const otherAdTechHere: Relation = {
  id: 'other-ad-tech-here',
  differs: 'impressions of another ad tech on the page',
  neighbours: (setup) => ({
    worlds: [rest, [...others(setup, 'news', 'shop'), ...rest]],
    promise: promiseFor(setup, setup.settings.budget.unit === 'user' ? 2 : 1),
  }),
};

export const conversionsOfOtherAdTech: Relation = {
  id: 'conversions-of-other-ad-tech',
  differs: 'conversions of another ad tech',
  observers: ['reporting-site', 'everyone'],
  neighbours: (setup) => {
    const { observer, labelsOfAny } = setup;
    const seen = shown(0, 10, 'news', 'shop', { adTech: 'other' });
    const unsold = shown(6, 3, 'blog', 'mall');
    return {
      worlds: [
        [seen, ...rest, unsold],
        [
          seen,
          ...manyBought(0.25, 'shop', { adTech: 'other' }),
          ...rest,
          unsold,
          bought(7, 'mall', { adTech: 'other' }),
        ],
      ],
      // Conversions spend nothing of what reporting sites share. Those of one owner share what attribution spends.
      promise: isOneOwner(setup) ? labelsOfAny(3) : observer === 'everyone' ? labelsOfAny(1) : 0,
    };
  },
};
