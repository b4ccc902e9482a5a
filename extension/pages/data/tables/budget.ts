import { nameOf, lossOf } from '../../../../src/limits/privacy-budget';
import type { Spend } from '../../../../src/model/spend';
import { from, type TableDefinition } from '../table';

/** The unit in words, as the budget names it. */
export const unitOf = (spend: Pick<Spend, 'unit' | 'of'>): string => nameOf(spend);

export const budget: TableDefinition<Spend> = {
  name: 'budget',
  title: 'Budget',
  noun: 'spend',
  empty:
    'Nothing was spent. Each impression that is recorded spends the ε of its noise, and each conversion that a private model attributes spends the ε of that.',
  from: [from('spends', (spend) => spend)],
  sites: ({ unit, of }) => (unit === 'user-publisher' || unit === 'user-advertiser' ? [of] : []),
  columns: [
    { key: 'time', title: 'Time', value: ({ time }) => time, as: 'time', width: 190 },
    { key: 'unit', title: 'Privacy unit', value: unitOf, width: 240, facet: true },
    { key: 'period', title: 'Period from', value: ({ period }) => period, as: 'time', width: 190 },
    {
      key: 'purpose',
      title: 'For',
      value: ({ purpose }) => (purpose === 'report' ? 'noise of a source' : 'attribution'),
      width: 150,
      facet: true,
    },
    { key: 'epsilon', title: 'ε each', value: ({ epsilon }) => epsilon, as: 'number', width: 90 },
    {
      key: 'impressions',
      title: 'Impressions',
      value: ({ sourceIds }) => sourceIds.length,
      as: 'number',
      width: 110,
    },
    { key: 'loss', title: 'ε in all', value: (spend) => lossOf(spend).toNumber(), as: 'number', width: 90 },
    { key: 'sources', title: 'Sources', value: ({ sourceIds }) => sourceIds.join(', '), width: 140 },
    { key: 'trigger', title: 'Conversion', value: ({ triggerId }) => triggerId, as: 'number', width: 110 },
  ],
};
