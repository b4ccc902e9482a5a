import { lossOf } from '../../../src/limits/privacy-budget';
import type { Spend } from '../../../src/model/spend';
import { t } from '../../i18n';
import { unitWords } from '../words/unit-words';
import { column, from, type Cell, type TableDefinition } from './table';

type Unit = Pick<Spend, 'unit' | 'of'>;

const unitKey = ({ unit, of }: Unit): string => `${unit} ${of}`.trim();

function unitOfKey(key: Cell): string {
  const [unit, of = ''] = String(key).split(' ');
  return unitWords({ unit: unit as Unit['unit'], of });
}

const purposeWords = (purpose: Cell): string =>
  purpose === 'report' ? t('tables_spend_report') : t('tables_spend_attribution');

/** A spend for an attribution says that a conversion had candidates, and which. */
export const isShown = ({ purpose }: Pick<Spend, 'purpose'>, truth: boolean): boolean =>
  truth || purpose === 'report';

export const budget: TableDefinition<Spend> = {
  name: 'budget',
  title: t('tables_budget_title'),
  empty: t('tables_budget_empty'),
  from: [from('spends', (spend, truth) => (isShown(spend, truth) ? spend : null))],
  sites: ({ unit, of }) => (unit === 'user-publisher' || unit === 'user-advertiser' ? [of] : []),
  columns: [
    column('time', ({ time }) => time, { as: 'time' }),
    { key: 'unit', title: t('settings_unit_title'), value: unitKey, label: unitOfKey, facet: true },
    column('period', ({ period }) => period, { as: 'time', optional: true }),
    column('purpose', ({ purpose }) => purpose, { label: purposeWords, facet: true }),
    column('epsilon', ({ epsilon }) => epsilon, { title: t('tables_column_epsilon_each'), as: 'number' }),
    column('impressions', ({ sourceIds }) => sourceIds.length, { as: 'number' }),
    column('loss', (spend) => lossOf(spend).toNumber(), { as: 'number' }),
    column('sources', ({ sourceIds }) => sourceIds.join(', ')),
    column('trigger', ({ triggerId }) => triggerId, { as: 'number' }),
  ],
};
