import { first, type Relation } from '../relation';
import { bought, originOf, shown } from '../world';
import { probe, withConversion } from './probes';

export const acrossChanges: readonly Relation[] = [
  /** How a source is counted is decided when it is registered. */
  {
    id: 'label-across-change-of-limits',
    differs: 'a conversion of one impression while limits are those of the specification for an hour',
    limits: { maxAttributions: 1, maxSourcesPerOrigin: 3 },
    onRequest: true,
    // There is room for the first of the last two, and for its attribution only if the report does not count.
    neighbours: withConversion(
      [
        shown(0.5, 2, 'news', 'shop'),
        { ...first, advertisers: ['mall', 'shop'] },
        { kind: 'change', at: 1.5, limits: 'specification' },
      ],
      [
        { kind: 'change', at: 2.5, limits: 'private' },
        shown(80, 3, 'news', 'mall', probe),
        bought(81, 'mall'),
        shown(82, 4, 'news', 'gym', probe),
        bought(83, 'gym'),
      ],
    ),
  },
  /** The registration of a source decides where its reports go and how their noise is drawn. */
  {
    id: 'label-across-change-of-settings',
    differs: 'a conversion of one impression after the label noise and the recipient of reports were changed',
    onRequest: true,
    neighbours: ({ label }) => {
      const seen = [
        first,
        { kind: 'change', at: 1.5, labelNoise: { kind: 'rr' }, recipient: originOf('elsewhere') },
      ] as const;
      return { worlds: [seen, [...seen, bought(2, 'shop', { value: 3 })]], promise: label };
    },
  },
  /** The device is offline when the report is due, so that it is sent hours later. Reports count from when they were due, for 30 days. */
  {
    id: 'label-before-end-of-attribution-window',
    differs:
      'a conversion of one impression whose report was sent late, before and after the limit on attributions counts it',
    limits: { maxAttributions: 1 },
    onRequest: true,
    neighbours: withConversion(
      [{ ...first, advertisers: ['mall', 'shop'] }],
      [
        { kind: 'offline', at: 10 },
        { kind: 'online', at: 40 },
        shown(722, 2, 'news', 'shop', probe),
        bought(723, 'shop'),
        shown(750, 3, 'news', 'mall', probe),
        bought(751, 'mall'),
      ],
    ),
  },
];
