import type { JointBudget } from '../../../src/model/mechanisms';
import { first, type Relation, type Setup } from '../relation';
import { bought, shown, type Impression } from '../world';
import { ofLabel, withConversion } from './probes';

const adTechs = ['adtech', 'other', 'third'];

/** What the impressions of three ad techs tell everyone together of a site that has a quota. */
const ofSite =
  (quota: keyof JointBudget, impression: (adTech: string, index: number) => Impression) =>
  ({ settings: { budget }, labelsOfAny }: Setup) => {
    const { joint } = budget;
    if (joint === null) return null;
    const seen = adTechs.map(impression);
    const conversions = seen.map(({ advertisers, adTech }) => bought(5, advertisers[0] ?? '', { adTech }));
    return {
      worlds: [seen, [...seen, ...conversions]] as const,
      promise: Math.min(labelsOfAny(adTechs.length), joint[quota]),
    };
  };

export const labelsOfSites: readonly Relation[] = [
  {
    id: 'labels-of-page',
    differs: 'the conversions of impressions of three ad techs on one page',
    observers: ['everyone'],
    neighbours: ofSite('sourceSite', (adTech, index) =>
      shown(1 + index, 1 + index, 'news', `shop-${index}`, { adTech }),
    ),
  },
  {
    id: 'labels-of-advertiser',
    differs:
      'the conversions of impressions of three ad techs on three pages for one advertiser, beside others',
    observers: ['everyone'],
    neighbours: ofSite('destination', (adTech, index) =>
      shown(1 + index, 1 + index, `news-${index}`, [`bank-${index}`, 'shop', `zoo-${index}`], { adTech }),
    ),
  },
  {
    id: 'label-before-last-of-joint-budget',
    differs: 'a conversion of one impression, before the last impression for which the joint budget has room',
    onRequest: true,
    neighbours: withConversion([first], [shown(3, 2, 'blog', 'mall'), bought(4, 'mall')], ofLabel),
  },
];
