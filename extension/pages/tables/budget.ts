import { lossOf } from '../../../src/limits/privacy-budget';
import type { Spend } from '../../../src/model/spend';
import { t } from '../../i18n';
import { unitWords } from '../words/unit-words';
import { from, type Cell, type TableDefinition } from './table';

type Unit = Pick<Spend, 'unit' | 'of'>;

const unitKey = ({ unit, of }: Unit): string => `${unit} ${of}`.trim();

function unitOfKey(key: Cell): string {
  const [unit, of = ''] = String(key).split(' ');
  return unitWords({ unit: unit as Unit['unit'], of });
}

const purposeWords = (purpose: Cell): string =>
  purpose === 'report' ? t('tables_spend_report') : t('tables_spend_attribution');

export const budget: TableDefinition<Spend> = {
  name: 'budget',
  title: t('tables_budget_title'),
  empty: t('tables_budget_empty'),
  from: [from('spends', (spend) => spend)],
  sites: ({ unit, of }) => (unit === 'user-publisher' || unit === 'user-advertiser' ? [of] : []),
  columns: [
    { key: 'time', title: t('tables_column_time'), value: ({ time }) => time, as: 'time' },
    {
      key: 'unit',
      title: t('settings_unit_title'),
      value: unitKey,
      label: unitOfKey,
      facet: true,
    },
    {
      key: 'period',
      title: t('tables_column_period'),
      value: ({ period }) => period,
      as: 'time',
      optional: true,
    },
    {
      key: 'purpose',
      title: t('tables_column_for'),
      value: ({ purpose }) => purpose,
      label: purposeWords,
      facet: true,
    },
    {
      key: 'epsilon',
      title: t('tables_column_epsilon_each'),
      value: ({ epsilon }) => epsilon,
      as: 'number',
    },
    {
      key: 'impressions',
      title: t('tables_column_impressions'),
      value: ({ sourceIds }) => sourceIds.length,
      as: 'number',
    },
    {
      key: 'loss',
      title: t('tables_column_epsilon_in_all'),
      value: (spend) => lossOf(spend).toNumber(),
      as: 'number',
    },
    {
      key: 'sources',
      title: t('tables_column_sources'),
      value: ({ sourceIds }) => sourceIds.join(', '),
    },
    {
      key: 'trigger',
      title: t('tables_column_conversion'),
      value: ({ triggerId }) => triggerId,
      as: 'number',
    },
  ],
};
