import { first, type Relation } from '../relation';
import { bought, shown } from '../world';
import { probe, promised } from './probes';

/** The device is offline when the report is due, so that it is sent hours later. Reports count from when they were due, for 30 days. */
export const labelBeforeEndOfWindow: Relation = {
  id: 'label-before-end-of-attribution-window',
  differs:
    'a conversion of one impression whose report was sent late, before and after the limit on attributions counts it',
  observers: ['reporting-site'],
  limits: { maxAttributions: 1 },
  onRequest: true,
  neighbours: (setup) => {
    const impression = { ...first, advertisers: ['mall', 'shop'] };
    const rest = [
      { kind: 'offline', at: 10 },
      { kind: 'online', at: 40 },
      shown(722, 2, 'news', 'shop', probe),
      bought(723, 'shop'),
      shown(750, 3, 'news', 'mall', probe),
      bought(751, 'mall'),
    ] as const;
    return {
      worlds: [
        [impression, ...rest],
        [impression, bought(2, 'shop'), ...rest],
      ],
      promise: promised(setup),
    };
  },
};
