import { first, type Relation } from '../relation';
import { bought, shown, type Impression } from '../world';
import { noise, ofLabel, probe, promised, withConversion } from './probes';

const claiming = (priority: number): Partial<Impression> => ({
  fields: { destination_limit_priority: String(priority) },
});

const scoped = (scope: string, limit = 2): Partial<Impression> => ({
  fields: { attribution_scopes: { limit, values: [scope], max_event_states: 3 } },
});

/** What the probe reports shows whether a later impression took its scope, or removed it. */
const withScope = (later: Partial<Impression>): Relation['neighbours'] =>
  withConversion(
    [
      shown(0.25, 2, 'news', 'mall', { ...probe, ...scoped('a') }),
      { ...first, advertisers: ['mall', 'shop'], ...scoped('b') },
    ],
    [
      shown(4, 3, 'news', 'mall', { ...noise, ...later }),
      bought(5, 'mall', { fields: { attribution_scopes: ['a'] } }),
    ],
  );

/** Whether a later impression is stored must not tell whether the output of an earlier one was replaced. */
function beforeLimit(later: Impression): Relation['neighbours'] {
  const [advertiser = ''] = later.advertisers;
  const ofLater = bought(later.at + 1, advertiser, { adTech: later.adTech });
  return withConversion([first, later], [ofLater], promised, bought(later.at + 0.5, 'shop'));
}

export const sourceLimits: readonly Relation[] = [
  /** The fourth takes the place of the third, which outranked the first until then. */
  {
    id: 'label-with-forgotten-claim',
    differs:
      'a conversion of one impression, at the limit on destinations, where an impression that lost to it claims one again',
    limits: { maxDestinationsPerReportingSite: 2 },
    onRequest: true,
    neighbours: withConversion(
      [shown(0, 2, 'news', 'shop', claiming(5)), { ...first, advertisers: ['shop', 'mall'], ...claiming(6) }],
      [shown(3, 3, 'news', 'bank', claiming(7)), shown(4, 4, 'news', 'gym', { ...noise, ...claiming(4) })],
    ),
  },
  /** The third removes the second, whose claim outranked that of the first. */
  {
    id: 'label-with-outranked-claim',
    differs:
      'a conversion of one impression, at the limit on destinations, after one that claimed the same is removed',
    limits: { maxDestinationsPerReportingSite: 2 },
    onRequest: true,
    neighbours: withConversion(
      [{ ...first, ...claiming(5) }],
      [
        shown(3, 2, 'news', ['shop', 'mall'], { ...noise, ...claiming(6) }),
        shown(4, 3, 'news', 'bank', { ...noise, ...claiming(7) }),
        shown(5, 4, 'news', 'gym', { ...probe, ...claiming(4) }),
        bought(6, 'gym'),
      ],
    ),
  },
  /** The newer scope of an impression that lost displaces the one that the probe asks for. */
  {
    id: 'label-with-forgotten-scope',
    differs:
      'a conversion of one impression, with as many scopes as are kept, one of them of an impression that lost to it',
    onRequest: true,
    neighbours: withConversion(
      [
        shown(0.25, 2, 'news', 'mall', { ...probe, ...scoped('a') }),
        shown(0.5, 3, 'news', ['shop', 'mall'], scoped('b')),
        { ...first, ...scoped('c') },
      ],
      [
        shown(4, 4, 'news', 'mall', scoped('d')),
        bought(5, 'mall', { fields: { attribution_scopes: ['a'] } }),
      ],
      promised,
      bought(3, 'shop'),
    ),
  },
  /** The scope of the impression displaces the one that the probe asks for, whether its output was replaced or not. */
  {
    id: 'label-with-scope',
    differs: 'a conversion of one impression, with as many scopes as are kept',
    onRequest: true,
    neighbours: withScope(scoped('c')),
  },
  {
    id: 'label-before-other-scopes',
    differs: 'a conversion of one impression before one with another number of scopes, which removes it',
    onRequest: true,
    neighbours: withScope(scoped('c', 3)),
  },
  {
    id: 'label-before-no-scopes',
    differs: 'a conversion of one impression before one without scopes, which takes its scopes',
    onRequest: true,
    neighbours: withScope({}),
  },
  {
    id: 'label-before-destinations-of-day',
    differs: 'a conversion of one impression, with as many destinations as an ad tech may have in a day',
    limits: { maxDestinationsPerReportingSiteAndDay: 1 },
    onRequest: true,
    neighbours: beforeLimit(shown(3, 2, 'news', 'mall', probe)),
  },
  {
    id: 'label-before-destinations-of-minute',
    differs: 'a conversion of one impression, with as many destinations as a page may have in a minute',
    limits: { maxDestinationsPerRateLimitWindow: 1 },
    onRequest: true,
    neighbours: beforeLimit(shown(first.at, 2, 'news', 'mall', probe)),
  },
  {
    id: 'label-before-source-origins',
    differs:
      'a conversion of one impression, with as many ad techs with impressions as a pair of sites may have',
    observers: ['everyone'],
    limits: { maxSourceReportingOrigins: 1 },
    onRequest: true,
    neighbours: beforeLimit(shown(3, 2, 'news', 'shop', { ...probe, adTech: 'other' })),
  },
  {
    id: 'label-before-origins-of-site',
    differs: 'a conversion of one impression, with as many origins as an ad tech may use on a page',
    observers: ['everyone'],
    onRequest: true,
    neighbours: beforeLimit(shown(3, 2, 'news', 'mall', { ...probe, adTech: 'other.adtech' })),
  },
  /** A conversion can so be before its impression. Only what was invented for the impression would be later. */
  {
    id: 'label-before-removal-with-clock-back',
    differs: 'a conversion of one impression that is removed, after the clock was set back',
    limits: { maxDestinationsPerReportingSite: 1 },
    onRequest: true,
    neighbours: withConversion([{ ...first, at: 5 }], [shown(4, 2, 'news', 'mall', claiming(1))], ofLabel),
  },
];
