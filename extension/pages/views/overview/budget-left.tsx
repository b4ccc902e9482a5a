import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { days } from '../../../../src/model/units';
import { t } from '../../../i18n';
import { accountsOf } from '../../explain/accounts';
import { useSession } from '../../state/session';
import { Card } from '../../ui/basics';
import { showDecimal } from '../../words/words';
import { AccountBar, useLatestSpends } from '../tables/budget';

/** What the latest privacy units may still spend. */
export function BudgetLeft(): JSX.Element {
  const { overview, settings } = useSession();
  const { spends } = useLatestSpends();
  const { epsilon, period } = settings.budget;
  const accounts = useMemo(() => accountsOf(spends, settings.budget), [spends, settings.budget]).filter(
    ({ spend }) => spend.period + days(period) > overview.now,
  );
  return (
    <Card title={t('overview_budget')}>
      <p class="soft" id="budget-left">
        {accounts.length === 0
          ? t('overview_budget_unspent', { limit: epsilon === null ? 'none' : showDecimal(epsilon) })
          : epsilon === null
            ? t('overview_budget_unlimited')
            : t('overview_budget_left', { left: Math.min(...accounts.map(({ left }) => left ?? epsilon)) })}
      </p>
      <div class="budget-accounts">
        {accounts.slice(0, 3).map((account) => (
          <AccountBar key={account.spend.id} account={account} budget={settings.budget} />
        ))}
      </div>
      <p class="small">
        <a href="#/budget">{t('overview_budget_lines')}</a>
      </p>
    </Card>
  );
}
