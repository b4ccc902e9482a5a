import { first, type Relation } from '../relation';
import { bought } from '../world';

export const adBeforeConversion: Relation = {
  id: 'ad-before-conversion',
  differs: 'whether a conversion followed an ad',
  observers: ['aggregatable'],
  neighbours: ({ settings }) =>
    settings.aggregatableReports
      ? { worlds: [[bought(5, 'shop')], [first, bought(5, 'shop')]], promise: null }
      : null,
};

export const adBeforeConversionWithContext: Relation = {
  id: 'ad-before-conversion-with-context',
  differs: 'whether a conversion with a context id followed an ad',
  observers: ['aggregatable'],
  neighbours: ({ settings }) => {
    if (!settings.aggregatableReports) return null;
    const conversion = bought(5, 'shop', { contextId: 'order' });
    return { worlds: [[conversion], [first, conversion]], promise: 0 };
  },
};
