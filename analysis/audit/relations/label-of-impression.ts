import { epsilon } from '../../../src/model/units';
import { first, withMore, type Relation } from '../relation';
import { bought, manyBought, shown } from '../world';
import { ofLabel, withConversion } from './probes';

export const labelOfImpression: Relation = {
  id: 'label-of-impression',
  differs: 'a conversion of one impression; those credited to others stay the same',
  neighbours: ({ label }) => ({
    worlds: [[first], [first, bought(2, 'shop', { value: 3 })]],
    promise: label,
  }),
};

export const labelsOfOneImpression: readonly Relation[] = [
  {
    id: 'label-without-epsilon',
    differs: 'a conversion of one impression that registers ε = 0',
    onRequest: true,
    neighbours: () => {
      const silent = { ...first, epsilon: epsilon(0) };
      return { worlds: [[silent], [silent, bought(2, 'shop')]], promise: 0 };
    },
  },
  /** The first impression has the higher priority, so it also gets the later conversion, which is after its report windows. */
  {
    id: 'label-before-later-conversion',
    differs: 'a conversion of one impression before one that comes after its report windows',
    onRequest: true,
    neighbours: withConversion(
      [{ ...first, fields: { priority: '1' } }],
      [shown(10, 2, 'blog', 'shop'), bought(26, 'shop', { value: 3 })],
      ofLabel,
      bought(2, 'shop', { value: 3 }),
    ),
  },
  /**
   * The earlier impression has a second advertiser. A conversion there comes after the other impression but cannot be credited to it. Both
   * conversions have the same deduplication key, because such a key counts for one impression only.
   */
  {
    id: 'label-beside-impression',
    differs: 'a conversion of one impression; those credited to another one stay the same',
    neighbours: withConversion(
      [{ ...first, advertisers: ['shop', 'mall'] }, shown(2, 2, 'blog', 'shop')],
      [bought(6, 'shop', { key: '1' })],
      ofLabel,
      bought(5, 'mall', { key: '1' }),
    ),
  },
  {
    id: 'order-of-arrival',
    differs: 'a conversion of one of two impressions whose reports leave together',
    neighbours: withConversion([first, shown(first.at, 2, 'blog', 'mall')], [bought(3, 'mall')], ofLabel),
  },
  {
    id: 'further-conversions',
    differs: 'further conversions of one impression, with other data, values and priorities',
    neighbours: ({ label }) => {
      const once = bought(2, 'shop');
      return {
        worlds: withMore(
          [first, once],
          [
            bought(3, 'shop', { data: 2, value: 2, priority: 5 }),
            bought(4, 'shop', { data: 1, value: 2, priority: 6 }),
            bought(26, 'shop'),
          ],
        ),
        promise: label,
      };
    },
  },
  /** More conversions at once than any source reports, so that the true state is the last of all states. */
  {
    id: 'most-conversions',
    differs: 'as many conversions of one impression at once as it can report',
    neighbours: ({ label }) => ({ worlds: [[first], [first, ...manyBought(2, 'shop')]], promise: label }),
  },
  {
    id: 'window-of-conversion',
    differs: 'the days of two conversions of one impression',
    neighbours: ({ label }) => ({
      worlds: [
        [first, bought(2, 'shop', { value: 3 }), bought(30, 'shop')],
        [first, bought(30, 'shop', { value: 3 }), bought(50, 'shop')],
      ],
      promise: label,
    }),
  },
  {
    id: 'label-before-removal',
    differs: 'a conversion of one impression that a later one removes, for the limit on destinations',
    limits: { maxDestinationsPerReportingSite: 1 },
    neighbours: withConversion([first], [shown(10, 2, 'news', 'mall')], ofLabel),
  },
];
