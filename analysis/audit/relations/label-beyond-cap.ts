import { first, MOST_IMPRESSIONS, type Relation } from '../relation';
import { bought } from '../world';

export const labelBeyondCap: Relation = {
  id: 'label-beyond-cap',
  differs: 'a conversion of the first impression beyond K',
  observers: ['reporting-site'],
  neighbours: ({ settings: { budget }, later }) => {
    const { cap } = budget;
    if (later === null || cap === null || cap >= MOST_IMPRESSIONS) return null;
    const within = Array.from({ length: cap }, (_, index) => ({ ...first, id: 10 + index }));
    const seen = [...within, later(2)];
    return { worlds: [seen, [...seen, bought(10, 'mall')]], promise: 0 };
  },
};
