import {
  nothing,
  ofAll,
  ofAllTwice,
  ofQuota,
  ofSite,
  ofSites,
  ofSiteTwice,
  withMore,
  type Relation,
} from './relation';
import { erasings } from './erasings';
import { ofStorage } from './storage';
import { ads, bought, NOW, OBSERVED, RECENT, severalBought, shown, WEEK, type World } from './world';

/** Enough to use up the budget of a site, and one more. */
const bought3 = severalBought(3, NOW, 'shop', RECENT);

const sites = (count: number, name = 'shop'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`);

/** An impression of an earlier epoch. It gets the credit where that of this epoch cannot. */
const earlier = (epoch: 0 | 1, site: string, bucket: number, matchValue: number): World => [
  shown(epoch * WEEK + 10, site, bucket, { matchValue }),
];

/** Whose credit goes to one of this epoch, or to an earlier one: the histogram changes twice as much as if there were none. */
const oneOrOther = [
  ...earlier(0, 'old', 0, 2),
  ...earlier(1, 'old', 1, 1),
  shown(NOW - 2, 'news', 0, { matchValue: 1 }),
] as const;
const matching = (...matchValues: readonly number[]): { readonly matchValues: readonly number[] } => ({
  matchValues,
});

const ofImpressions: readonly Relation[] = [
  {
    id: 'epoch',
    differs: 'all impressions of an epoch',
    observer: OBSERVED,
    worlds: [bought3, [...ads, ...bought3]],
    promise: ofSite,
  },
  {
    id: 'earlier-epoch',
    differs: 'all impressions of an epoch before that of the conversions',
    observer: OBSERVED,
    worlds: withMore([], earlier(1, 'news', 0, 0), severalBought(4, NOW)),
    promise: ofSite,
  },
  {
    id: 'epoch-beside-one-too-old',
    differs: 'all impressions of an epoch, with an earlier one that conversions do not look back at',
    observer: OBSERVED,
    worlds: withMore([shown(2 * WEEK - 38, 'old', 0)], [shown(NOW - 1, 'news', 1)], bought3),
    promise: ofSite,
  },
  {
    id: 'epoch-in-two-buckets',
    differs: 'all impressions of an epoch, which get half of a value of 2 each',
    observer: OBSERVED,
    worlds: withMore(
      [],
      ads,
      severalBought(4, NOW, 'shop', { ...RECENT, credit: [1, 1], value: 2, maxValue: 2 }),
    ),
    promise: ofSite,
  },
  {
    id: 'epoch-to-callers-of-a-site',
    differs: 'all impressions of an epoch, for sites with frames on one conversion site',
    observer: null,
    worlds: withMore(
      [],
      ads,
      ['ads', 'mall', 'post'].map((caller) => bought(NOW, 'shop', {}, caller)),
    ),
    promise: ofSite,
  },
  {
    id: 'epoch-of-drawn-start',
    differs: 'all impressions of an epoch, when the device draws its start',
    observer: OBSERVED,
    worlds: [bought3, [...ads, ...bought3]],
    drawsEpochs: true,
    promise: ofSite,
  },
  {
    id: 'epoch-with-little-left',
    differs: 'all impressions of an epoch, when a little of the budget is left',
    observer: OBSERVED,
    worlds: withMore([], ads, severalBought(3, NOW, 'shop', { ...RECENT, epsilon: 1.2 })),
    promise: ofSite,
  },
  {
    id: 'epoch-to-all',
    differs: 'all impressions of an epoch, with earlier ones that get their credit',
    observer: null,
    worlds: withMore(
      [...earlier(0, 'old', 0, 1), ...earlier(0, 'older', 0, 2)],
      [shown(NOW - 2, 'news', 1, { matchValue: 1 }), shown(NOW - 1, 'blog', 1, { matchValue: 2 })],
      sites(9).map((site, index) => bought(NOW, site, matching(index < 4 ? 1 : 2))),
    ),
    promise: ofAll,
  },
  {
    id: 'impression',
    differs: 'an impression beside another one of its epoch',
    observer: OBSERVED,
    worlds: withMore([shown(NOW - 2, 'news', 0)], [shown(NOW - 1, 'blog', 1)], bought3),
    promise: ofSiteTwice,
  },
  {
    id: 'bucket',
    differs: 'in which bucket an impression counts, such as that of its arm in a lift test',
    observer: OBSERVED,
    worlds: [
      [shown(NOW - 1, 'news', 0), ...bought3],
      [shown(NOW - 1, 'news', 1), ...bought3],
    ],
    promise: ofSiteTwice,
  },
  {
    id: 'impression-that-charges',
    differs: 'an impression whose conversions leave no budget for those of another one',
    observer: OBSERVED,
    worlds: withMore(
      oneOrOther,
      [shown(NOW - 1, 'blog', 1, { matchValue: 2 })],
      [bought(NOW, 'shop', matching(2)), bought(NOW, 'shop', matching(1))],
    ),
    promise: ofSiteTwice,
  },
  {
    id: 'impressions-to-all',
    differs: 'impressions beside others of their epoch, if conversions look back within it',
    observer: null,
    worlds: withMore(
      [1, 2, 3].map((matchValue) => shown(NOW - 3, `news-${matchValue}`, 0, { matchValue })),
      [1, 2, 3].map((matchValue) => shown(NOW - 1, `blog-${matchValue}`, 1, { matchValue })),
      [1, 1, 2, 2, 3].flatMap((matchValue, site) =>
        severalBought(site < 4 ? 2 : 1, NOW, `shop-${site}`, { ...RECENT, ...matching(matchValue) }),
      ),
    ),
    promise: ofAll,
  },
  {
    id: 'impression-that-charges-to-all',
    differs: 'an impression whose conversions leave no budget for those of another one',
    observer: null,
    limits: { globalPrivacyBudgetPerEpoch: 2_000_000, impressionSiteQuotaPerEpoch: 2_000_000 },
    worlds: withMore(
      oneOrOther,
      [shown(NOW - 1, 'blog', 1, { matchValue: 2 })],
      sites(4).map((site, index) => bought(NOW, site, matching(index < 2 ? 2 : 1))),
    ),
    promise: ofAllTwice,
  },
  {
    id: 'epoch-of-impression',
    differs: 'in which of two epochs an impression was',
    observer: OBSERVED,
    worlds: [WEEK + 20, NOW - 1].map((at): World => [
      ...earlier(0, 'old', 0, 0),
      shown(at, 'news', 1),
      bought(NOW, 'shop', { lookbackDays: 5, value: 2, maxValue: 2 }),
      bought(NOW, 'shop'),
    ]) as unknown as Relation['worlds'],
    promise: ofSiteTwice,
  },
  {
    id: 'impressions-of-site',
    differs: 'the impressions of a site, the only ones of their epoch',
    observer: null,
    worlds: withMore(
      earlier(0, 'old', 0, 0),
      [shown(NOW - 1, 'news', 1)],
      sites(5).map((site) => bought(NOW, site)),
    ),
    promise: ofQuota,
  },
  {
    id: 'impressions-of-site-beside-others',
    differs: 'the impressions of a site beside those of others, which its quota leaves out, too',
    observer: null,
    limits: { globalPrivacyBudgetPerEpoch: 2_000_000, impressionSiteQuotaPerEpoch: 1_000_000 },
    worlds: withMore(
      [...oneOrOther, ...earlier(1, 'older', 1, 4), shown(NOW - 2, 'post', 0, { matchValue: 4 })],
      [shown(NOW - 1, 'blog', 1, { matchValue: 2 }), shown(NOW - 1, 'blog', 1, { matchValue: 3 })],
      [
        bought(NOW, 'shop-0', matching(2)),
        bought(NOW, 'shop-1', matching(1, 3)),
        bought(NOW, 'shop-2', matching(4, 3)),
      ],
    ),
    promise: ofAllTwice,
  },
  {
    id: 'credit-beyond-histogram',
    differs:
      'two impressions with half of the credit each, one of them for a bucket that the histogram does not have',
    observer: OBSERVED,
    limits: { globalPrivacyBudgetPerEpoch: 100_000_000, impressionSiteQuotaPerEpoch: 100_000_000 },
    worlds: withMore(
      [],
      [shown(NOW - 2, 'news', 0), shown(NOW - 1, 'news', 2)],
      severalBought(3, NOW, 'shop', { ...RECENT, epsilon: 2, credit: [1, 1] }),
    ),
    promise: ofSite,
  },
];

const ofOthers: readonly Relation[] = [
  {
    id: 'conversions-elsewhere',
    differs: 'conversions on other sites',
    observer: OBSERVED,
    worlds: withMore(
      ads,
      sites(2, 'mall').map((site) => bought(NOW, site)),
      bought3,
    ),
    promise: nothing,
  },
  {
    id: 'global-budget-used',
    differs: 'conversions on other sites that leave little of the global budget',
    observer: OBSERVED,
    worlds: withMore(
      [
        ...oneOrOther,
        shown(NOW - 2, 'blog', 1, { matchValue: 2 }),
        shown(NOW - 2, 'post', 0, { matchValue: 8 }),
        shown(NOW - 2, 'wiki', 0, { matchValue: 9 }),
      ],
      sites(8, 'mall').map((site, index) =>
        bought(NOW, site, { ...matching(index < 4 ? 8 : 9), epsilon: index === 0 ? 0.25 : 1 }),
      ),
      [bought(NOW, 'shop', matching(2)), ...severalBought(3, NOW, 'shop', { ...matching(1), epsilon: 0.25 })],
    ),
    promise: ofSiteTwice,
  },
  {
    id: 'quota-used',
    differs: 'conversions on other sites that use up the quota of an impression site',
    observer: OBSERVED,
    worlds: withMore(
      [
        ...earlier(0, 'old', 1, 1),
        shown(NOW - 2, 'news', 0, { matchValue: 1 }),
        shown(NOW - 2, 'news', 0, { matchValue: 3 }),
      ],
      sites(4, 'mall').map((site) => bought(NOW, site, matching(3))),
      [bought(NOW, 'shop', matching(1))],
    ),
    promise: ofSiteTwice,
  },
  {
    id: 'epoch-to-caller',
    differs: 'all impressions of an epoch, for a site with frames on three conversion sites',
    observer: 'ads.example',
    worlds: withMore(
      earlier(0, 'old', 0, 0),
      [shown(NOW - 1, 'news', 1)],
      sites(3).flatMap((site) => severalBought(2, NOW, site, {}, 'ads')),
    ),
    promise: ofSites(3),
  },
];

const ofService: readonly Relation[] = [
  {
    id: 'sum-of-cheap-conversions',
    differs:
      'all impressions of an epoch, if the observer asks for sums with less noise than conversions were charged',
    observer: OBSERVED,
    worlds: withMore([], ads, severalBought(12, NOW, 'shop', { ...RECENT, epsilon: 0.1 })),
    asked: 1,
    promise: ofSite,
  },
  {
    id: 'reports-of-two-maximums',
    differs: 'all impressions of an epoch, if the observer hands in reports of two maximums together',
    observer: OBSERVED,
    worlds: withMore(
      [],
      ads,
      [{}, { value: 8, maxValue: 8 }].map((more) => bought(NOW, 'shop', { ...RECENT, ...more })),
    ),
    isTogether: true,
    promise: ofSite,
  },
  {
    id: 'same-report-again',
    differs: 'all impressions of an epoch, if the observer hands in each report twice',
    observer: OBSERVED,
    worlds: withMore([], ads, bought3),
    copies: 2,
    promise: ofSite,
  },
];

/** What `cointoss audit` compares of W3C Attribution. */
export const w3cRelations: readonly Relation[] = [
  ...ofImpressions,
  ...ofStorage,
  ...ofOthers,
  ...ofService,
  ...erasings,
];
