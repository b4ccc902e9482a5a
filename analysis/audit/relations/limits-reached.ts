import { first, type Relation } from '../relation';
import { bought, shown } from '../world';
import { noise, probe, promised, withConversion } from './probes';

/** The same after the first reports were sent. */
const labelAtAttributionLimitLater: Relation = {
  id: 'label-at-attribution-limit-later',
  differs: 'a conversion of one impression reported before, at the limit on attributions of a pair of sites',
  limits: { maxAttributions: 1 },
  neighbours: withConversion([first], [shown(80, 2, 'news', 'shop', probe), bought(81, 'shop')]),
};

/** @param at when the probe is registered */
const ofOther = (at: number): Relation['neighbours'] =>
  withConversion(
    [{ ...first, adTech: 'other' }],
    [shown(at, 2, 'news', 'shop', probe), bought(at + 1, 'shop')],
    promised,
    bought(2, 'shop', { adTech: 'other' }),
  );

/** What a conversion makes or deletes must neither take the last bytes nor free some. */
const labelWithBytes = (id: string, differs: string, spare: 0 | 1): Relation => ({
  id,
  differs,
  onRequest: true,
  neighbours: withConversion(
    [{ ...first, id: 2 }, first, { kind: 'full', at: 1.5, spare } as const],
    [shown(3, 3, 'blog', 'mall', noise)],
  ),
});

export const limitsReached: readonly Relation[] = [
  /** The earlier impression reports nothing if it is noised so, but may still take the only place. */
  {
    id: 'label-at-attribution-limit',
    differs: 'a conversion of one impression, at the limit on attributions of a pair of sites',
    limits: { maxAttributions: 1 },
    neighbours: withConversion([first], [shown(3, 2, 'news', 'shop', probe), bought(4, 'shop')]),
  },
  labelAtAttributionLimitLater,
  /** However often its first report is tried, there is a place left. */
  {
    ...labelAtAttributionLimitLater,
    id: 'label-at-second-attribution',
    differs:
      'a conversion of one impression reported before, where a pair of sites may have two attributions',
    limits: { maxAttributions: 2 },
    onRequest: true,
  },
  /** A conversion that forgets an impression makes room for another one. */
  {
    id: 'label-with-full-storage',
    differs: 'a conversion of one impression, with as many impressions of the page as can be stored',
    limits: { maxSourcesPerOrigin: 2 },
    neighbours: withConversion([{ ...first, id: 2 }, first], [shown(3, 3, 'news', 'mall', noise)]),
  },
  /** An impression that has expired makes room, whether it was reported or not. */
  {
    id: 'label-with-full-storage-later',
    differs:
      'a conversion of one impression that has expired, with as many impressions of the page as can be stored',
    limits: { maxSourcesPerOrigin: 1 },
    onRequest: true,
    neighbours: withConversion(
      [{ ...first, fields: { expiry: 86_400 } }],
      [shown(60, 2, 'news', 'mall', noise)],
    ),
  },
  /** A report that waits takes the only place for reports about the advertiser. */
  {
    id: 'label-with-reports-waiting',
    differs: 'a conversion of one impression, with as many reports about the advertiser as may wait',
    limits: { maxEventLevelReportsPerDestination: 1 },
    neighbours: withConversion([first], [shown(3, 2, 'blog', 'shop', probe), bought(4, 'shop')]),
  },
  /** A report of another ad tech takes the only place of an ad tech for the pair of sites. */
  {
    id: 'label-of-other-ad-tech-at-limit',
    differs: 'a conversion that another ad tech reports, at the limit on ad techs of a pair of sites',
    observers: ['everyone'],
    limits: { maxAttributionReportingOrigins: 1 },
    neighbours: ofOther(3),
  },
  /** The reports that the other ad tech received already have their noise. */
  {
    id: 'label-of-other-ad-tech-at-limit-later',
    differs: 'a conversion that another ad tech reported before, at the limit on ad techs of a pair of sites',
    limits: { maxAttributionReportingOrigins: 1 },
    neighbours: ofOther(80),
  },
  /** That an ad tech registers impressions is public to the others. */
  {
    id: 'other-ad-tech-at-limit',
    differs: 'an impression of another ad tech, at the limit on ad techs with impressions of a pair of sites',
    limits: { maxSourceReportingOrigins: 1 },
    neighbours: () => ({
      worlds: [[first], [shown(0, 10, 'news', 'shop', { adTech: 'other' }), first]],
      promise: null,
    }),
  },
  /** Its report counts for each of its destinations, wherever the conversion was. */
  {
    id: 'destination-of-label-at-attribution-limit',
    differs:
      'on which of its three destinations a conversion of one impression was, at the limit on attributions of a pair of sites',
    limits: { maxAttributions: 1 },
    onRequest: true,
    neighbours: (setup) => {
      const impression = { ...first, advertisers: ['mall', 'shop', 'zoo'] };
      const rest = [shown(80, 2, 'news', 'shop', probe), bought(81, 'shop')];
      return {
        worlds: [
          [impression, bought(2, 'shop'), ...rest],
          [impression, bought(2, 'zoo'), ...rest],
        ],
        promise: promised(setup),
      };
    },
  },
  /** A report that was tried counts among those that wait, true or not. Its next try is a minute later. */
  {
    id: 'label-with-tried-reports-waiting',
    differs:
      'a conversion of one impression, with as many reports about the advertiser as may wait after a try',
    limits: { maxEventLevelReportsPerDestination: 1 },
    onRequest: true,
    neighbours: withConversion([first], [shown(25.005, 2, 'blog', 'shop', probe), bought(25.01, 'shop')]),
  },
  labelWithBytes('label-with-full-bytes', 'a conversion of one impression, with no byte left for another', 0),
  labelWithBytes(
    'label-with-last-bytes',
    'a conversion of one impression, with the last byte left for another',
    1,
  ),
];
