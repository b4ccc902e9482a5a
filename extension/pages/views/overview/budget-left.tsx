import type { JSX } from 'preact';
import { days } from '../../../../src/model/units';
import { t } from '../../../i18n';
import { useSession } from '../../state/session';
import { Card } from '../../ui/basics';
import { showDecimal } from '../../words/words';
import { AccountBars, useAccounts } from '../tables/budget';
import { least } from '../../../../numeric/extremes';

/** What the privacy units with the least left, and everyone together, may still spend. */
export function BudgetLeft(): JSX.Element {
  const { overview, settings } = useSession();
  const { epsilon, period } = settings.budget;
  const { units: all, shares } = useAccounts();
  const units = all?.filter((account) => account.period + days(period) > overview.now) ?? null;
  const [together] = shares;
  return (
    <Card title={t('overview_budget')}>
      <p class="soft" id="budget-left">
        {units === null
          ? t('budget_unknown')
          : units.length === 0
            ? t('overview_budget_unspent', { limit: epsilon === null ? 'none' : showDecimal(epsilon) })
            : epsilon === null
              ? t('overview_budget_unlimited')
              : t('overview_budget_left', { left: least(units.map(({ left }) => left ?? epsilon)) })}
        {together !== undefined && ` ${t('overview_budget_together', { left: together.left ?? 0 })}`}
      </p>
      <AccountBars accounts={[...shares.slice(0, 1), ...(units ?? [])]} most={3} />
      <p class="small">
        <a href="#/budget">{t('overview_budget_lines')}</a>
      </p>
    </Card>
  );
}
