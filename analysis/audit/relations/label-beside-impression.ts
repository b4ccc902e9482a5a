import { first, type Relation } from '../relation';
import { bought, shown } from '../world';

/** The earlier one has a second advertiser, so that a conversion there is after the other impression and not credited to it. A deduplication key is of one impression. */
export const labelBesideImpression: Relation = {
  id: 'label-beside-impression',
  differs: 'a conversion of one impression; those credited to another one stay the same',
  observers: ['reporting-site'],
  neighbours: ({ label }) => {
    const both = [{ ...first, advertisers: ['shop', 'mall'] }, shown(2, 2, 'blog', 'shop')];
    return {
      worlds: [
        [...both, bought(6, 'shop', { key: '1' })],
        [...both, bought(5, 'mall', { key: '1' }), bought(6, 'shop', { key: '1' })],
      ],
      promise: label,
    };
  },
};
