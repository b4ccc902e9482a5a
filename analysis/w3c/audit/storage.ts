import { MOST, MOST_OF_SITE } from '../../../w3c/room';
import { ofSite, ofSiteTwice, withMore, type Relation } from './relation';
import { bought, NOW, OBSERVED, RECENT, severalBought, shown, WEEK, type World } from './world';

const matching = (matchValue: number): { readonly matchValues: readonly number[] } => ({
  matchValues: [matchValue],
});

/** Impressions that match no conversion. */
const fillers = (count: number, at: number, siteOf: (index: number) => string): World =>
  Array.from({ length: count }, (_, index) => shown(at, siteOf(index), 1, { matchValue: 99 }));

const ofNews = (): string => 'news';
/** So many sites that none has as many as can be stored. */
const ofMany = (index: number): string => `wiki-${index % 20}`;

/** Each looks back at earlier epochs. If one of these lost an impression, another one would get its credit. */
const boughtBoth: World = [bought(NOW, 'shop', matching(1)), bought(NOW, 'shop', matching(2))];

/** Worlds of a full storage, when an impression of this epoch comes. */
export const ofStorage: readonly Relation[] = [
  {
    id: 'impression-beyond-storage',
    differs: 'an impression of a site that has as many as can be stored',
    observer: OBSERVED,
    worlds: withMore(
      [shown(NOW - 3, 'news', 0, { matchValue: 1 }), ...fillers(MOST_OF_SITE - 1, NOW - 2, ofNews)],
      fillers(1, NOW - 2, ofNews),
      severalBought(3, NOW, 'shop', { ...RECENT, ...matching(1) }),
    ),
    promise: ofSiteTwice,
  },
  {
    id: 'epoch-beyond-storage',
    differs: 'all impressions of an epoch, of a site that has as many earlier ones as can be stored',
    observer: OBSERVED,
    worlds: withMore(
      [
        shown(-WEEK + 20, 'older', 0, { matchValue: 2 }),
        shown(10, 'old', 1, { matchValue: 1 }),
        shown(WEEK + 10, 'news', 0, { matchValue: 1 }),
        ...fillers(MOST_OF_SITE - 1, WEEK + 11, ofNews),
      ],
      [shown(NOW - 1, 'news', 1, { matchValue: 2 })],
      boughtBoth,
    ),
    promise: ofSite,
  },
  {
    id: 'epoch-beyond-storage-of-all',
    differs:
      'all impressions of an epoch, when all sites together have as many earlier ones as can be stored',
    observer: OBSERVED,
    worlds: withMore(
      [
        shown(-WEEK + 20, 'wiki-0', 0, { matchValue: 1, priority: 1 }),
        ...fillers(MOST - 3, -WEEK + 21, ofMany),
        shown(10, 'old', 1, { matchValue: 1 }),
        shown(WEEK + 10, 'older', 0, { matchValue: 2 }),
      ],
      [shown(NOW - 1, 'news', 1, { matchValue: 2 })],
      boughtBoth,
    ),
    promise: ofSite,
  },
  {
    id: 'epoch-of-clock-ahead',
    differs:
      'all impressions of an epoch, saved while the clock was five days ahead, when others seemed expired',
    observer: OBSERVED,
    worlds: withMore(
      [
        shown(-WEEK + 20, 'older', 1, { matchValue: 1 }),
        shown(100, 'old', 0, { matchValue: 1, lifetimeDays: 13 }),
        shown(WEEK + 10, 'blog', 1, { matchValue: 2 }),
        shown(2 * WEEK + 4, 'news', 0, { matchValue: 2, lifetimeDays: 3 }),
      ],
      [shown(NOW + 5 * 24, 'news', 1)],
      boughtBoth,
    ),
    promise: ofSite,
  },
];
