import { withMore, type Relation } from '../relation';
import { bought, shown, type World } from '../world';

/** Worlds in which all sources report truthfully, so that limits alone decide what is reported. */
const beyond =
  (before: World, probes: World, conversions: World): Relation['neighbours'] =>
  ({ isNoised }) =>
    isNoised
      ? null
      : {
          worlds: withMore([...before, ...probes], conversions),
          promise: 0,
        };

/** Four reports of a pair and one of another ad tech, of which the first is older than the window when the limit decides. */
const reported: World = [
  ...[1, 3, 5, 7].flatMap((at) => [shown(at, at, 'news', 'shop'), bought(at + 1, 'shop')]),
  shown(9, 9, 'news', 'shop', { adTech: 'other' }),
  bought(10, 'shop', { adTech: 'other' }),
];

const destinations = ['bank', 'shop', 'zoo'];

export const beyondLimits: readonly Relation[] = [
  {
    id: 'conversion-beyond-attributions',
    differs: 'a conversion after as many reports about a pair of sites as may be sent',
    limits: { maxAttributions: 3 },
    onRequest: true,
    neighbours: beyond(reported, [shown(745.5, 20, 'news', 'shop')], [bought(746, 'shop')]),
  },
  /** The report does not say on which of the destinations its conversion was. */
  {
    id: 'conversions-beyond-attributions',
    differs: 'conversions on three sites after as many reports about each as may be sent, all in one',
    limits: { maxAttributions: 1 },
    onRequest: true,
    neighbours: beyond(
      [shown(1, 1, 'news', destinations), bought(2, 'shop')],
      destinations.map((destination, index) => shown(80, 2 + index, 'news', destination)),
      destinations.map((destination) => bought(81, destination)),
    ),
  },
  {
    id: 'conversion-beyond-origins',
    differs: 'a conversion after reports of as many ad techs about a pair of sites as may send some',
    limits: { maxAttributionReportingOrigins: 2 },
    onRequest: true,
    neighbours: beyond(
      ['other', 'third'].flatMap((adTech) => [
        shown(1, 1, 'news', 'shop', { adTech }),
        bought(2, 'shop', { adTech }),
      ]),
      [shown(80, 2, 'news', 'shop')],
      [bought(81, 'shop')],
    ),
  },
  {
    id: 'conversion-beyond-storage',
    differs: 'a conversion after as many impressions of a page as can be stored',
    limits: { maxSourcesPerOrigin: 3 },
    onRequest: true,
    neighbours: beyond(
      [1, 2, 3].map((id) => shown(id, id, 'news', 'shop')),
      [shown(4, 4, 'news', 'mall')],
      [bought(5, 'mall')],
    ),
  },
  /** The impression of the first attribution has expired. */
  {
    id: 'ad-beyond-attributions',
    differs: 'an ad before a conversion, after as many attributions to a pair of sites as may be',
    observers: ['aggregatable'],
    limits: { maxAttributions: 1 },
    onRequest: true,
    neighbours: ({ isNoised }) => {
      if (isNoised) return null;
      const counted = [shown(1, 1, 'news', 'shop', { fields: { expiry: 86_400 } }), bought(2, 'shop')];
      return {
        worlds: withMore(counted, [shown(30, 2, 'news', 'shop')], [bought(31, 'shop')]),
        promise: 0,
      };
    },
  },
];
