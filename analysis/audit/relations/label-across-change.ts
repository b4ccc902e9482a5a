import { first, type Relation } from '../relation';
import { bought, originOf, shown } from '../world';
import { probe, promised } from './probes';

/** How a source is counted is decided when it is registered. */
export const labelAcrossChangeOfLimits: Relation = {
  id: 'label-across-change-of-limits',
  differs: 'a conversion of one impression while limits are those of the specification for an hour',
  observers: ['reporting-site'],
  limits: { maxAttributions: 1, maxSourcesPerOrigin: 3 },
  onRequest: true,
  neighbours: (setup) => {
    const seen = [
      shown(0.5, 2, 'news', 'shop'),
      { ...first, advertisers: ['mall', 'shop'] },
      { kind: 'change', at: 1.5, limits: 'specification' },
    ] as const;
    // There is room for the first of them, and for its attribution only if the report does not count.
    const rest = [
      { kind: 'change', at: 2.5, limits: 'private' },
      shown(80, 3, 'news', 'mall', probe),
      bought(81, 'mall'),
      shown(82, 4, 'news', 'gym', probe),
      bought(83, 'gym'),
    ] as const;
    return {
      worlds: [
        [...seen, ...rest],
        [...seen, bought(2, 'shop'), ...rest],
      ],
      promise: promised(setup),
    };
  },
};

/** Where the reports of a source go, and how their noise is drawn, is decided when it is registered. */
export const labelAcrossChangeOfSettings: Relation = {
  id: 'label-across-change-of-settings',
  differs: 'a conversion of one impression after the label noise and the recipient of reports were changed',
  observers: ['reporting-site'],
  onRequest: true,
  neighbours: ({ label }) => {
    const seen = [
      first,
      { kind: 'change', at: 1.5, labelNoise: { kind: 'rr' }, recipient: originOf('elsewhere') },
    ] as const;
    return { worlds: [seen, [...seen, bought(2, 'shop', { value: 3 })]], promise: label };
  },
};
