import type { Relation } from './relation';
import { ofSite, withMore } from './relation';
import { ads, bought, NOW, OBSERVED, RECENT, severalBought, shown, WEEK, type World } from './world';

/** Conversions that use up the budget of a site, then something else, and the same again. */
const twice = (between: World, at = NOW): Relation['worlds'] => {
  const before = severalBought(3, NOW, 'shop', RECENT);
  const after = severalBought(3, at, 'shop', RECENT);
  return [
    [...before, ...between, ...after],
    [...ads, ...before, ...between, ...ads, ...after],
  ];
};

const erased = (at: number, sites: readonly string[] = []): World => [{ kind: 'erase', at, sites }];

/** Budgets that something could fill again. */
export const erasings: readonly Relation[] = [
  {
    id: 'epoch-before-and-after-erasing',
    differs: 'all impressions of an epoch, before and after everything was erased',
    observer: OBSERVED,
    worlds: twice(erased(NOW)),
    promise: ofSite,
  },
  {
    id: 'epoch-before-and-after-erasing-sites',
    differs: 'all impressions of an epoch, before and after the conversion site was erased',
    observer: OBSERVED,
    worlds: twice(erased(NOW, [OBSERVED])),
    promise: ofSite,
  },
  {
    id: 'epoch-erased-with-clock-behind',
    differs: 'all impressions of an epoch, before and after everything was erased while the clock was behind',
    observer: OBSERVED,
    worlds: twice(erased(NOW - 3 * WEEK)),
    promise: ofSite,
  },
  {
    id: 'epoch-erased-again-with-clock-behind',
    differs:
      'all impressions of an epoch, before and after everything was erased twice, then with the clock behind',
    observer: OBSERVED,
    worlds: twice([...erased(NOW), ...erased(NOW - 3 * WEEK)]),
    promise: ofSite,
  },
  {
    id: 'epoch-erased-site-with-clock-behind',
    differs:
      'all impressions of an epoch, before and after the conversion site was erased while the clock was behind by three weeks',
    observer: OBSERVED,
    worlds: twice(erased(NOW - 3 * WEEK, [OBSERVED])),
    promise: ofSite,
  },
  {
    id: 'epoch-erased-site-with-clock-a-week-behind',
    differs:
      'all impressions of an epoch, before and after the conversion site was erased while the clock was behind by a week',
    observer: OBSERVED,
    worlds: twice(erased(NOW - WEEK, [OBSERVED])),
    promise: ofSite,
  },
  {
    id: 'epoch-erased-site-again-with-clock-behind',
    differs:
      'all impressions of an epoch, before and after the conversion site was erased twice, then with the clock behind',
    observer: OBSERVED,
    worlds: twice([...erased(NOW, [OBSERVED]), ...erased(NOW - 3 * WEEK, [OBSERVED])]),
    promise: ofSite,
  },
  {
    id: 'epoch-with-clock-behind-erasing',
    differs:
      'all impressions of an epoch, with conversions before the conversion site was erased and, with the clock behind, after it',
    observer: OBSERVED,
    worlds: withMore(
      [shown(10, 'old', 1)],
      [shown(WEEK + 10, 'news', 0)],
      [...severalBought(2, NOW), ...erased(NOW, [OBSERVED]), ...severalBought(2, NOW - WEEK)],
    ),
    promise: ofSite,
  },
  {
    id: 'epoch-after-clear-site-data',
    differs: 'all impressions of an epoch, before and after their sites cleared them',
    observer: OBSERVED,
    worlds: twice([{ kind: 'clear-site-data', at: NOW, sites: ['news.example', 'blog.example', OBSERVED] }]),
    promise: ofSite,
  },
  {
    id: 'epoch-after-site-data',
    differs:
      'all impressions of an epoch, before and after the person cleared what the conversion site stored',
    observer: OBSERVED,
    worlds: twice([{ kind: 'forget-site-data', at: NOW, sites: [OBSERVED] }]),
    promise: ofSite,
  },
  {
    id: 'epoch-after-clock-ahead',
    differs: 'all impressions of an epoch, before and after the clock was ahead by ten weeks',
    observer: OBSERVED,
    worlds: twice([shown(NOW + 10 * WEEK - 1, 'news', 0), bought(NOW + 10 * WEEK)]),
    promise: ofSite,
  },
  {
    id: 'pause',
    differs: 'whether Cointoss is paused',
    observer: OBSERVED,
    worlds: [
      [...ads, ...severalBought(3, NOW, 'shop', RECENT)],
      [...ads, { kind: 'pause', at: NOW }, ...severalBought(3, NOW, 'shop', RECENT)],
    ],
    promise: ofSite,
  },
];
