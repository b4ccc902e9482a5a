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

/** Null reports are made for one in 20 conversions without an ad, so a report is at most 20 times as probable after one. */
export const adBeforeReportedConversion: Relation = {
  id: 'ad-before-reported-conversion',
  differs: 'whether a conversion for which a report comes followed an ad',
  observers: ['aggregatable'],
  onRequest: true,
  neighbours: ({ settings }) =>
    settings.aggregatableReports
      ? { worlds: [[bought(5, 'shop')], [first, bought(5, 'shop')]], promise: Math.log(20), besides: '' }
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
