import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Spend } from '../../../../src/model/spend';
import { budget } from '../../tables/budget';
import { accountsOf, mostLost, type Account } from '../../explain/accounts';
import { promisesInWords, toldInWords } from '../../explain/promises';
import { rich, t } from '../../../i18n';
import type { Route } from '../../state/route';
import { useDataset, useSession } from '../../state/session';
import { unitWords } from '../../words/unit-words';
import { useLoaded } from '../../state/use-stored';
import { showDecimal, showTime } from '../../words/words';
import { Card, Chip } from '../../ui/basics';
import { EarlierLimitsOfRecords } from '../earlier-limits';
import { TableView } from './table';

/** The most spends that are read and summed up. The table below has all. */
const LINES = 20_000;
const SHOWN = 4;

/** What each privacy unit has spent of its budget: per period, then spend by spend. */
export function BudgetView({ route }: { readonly route: Route }): JSX.Element {
  const { spends, all } = useLatestSpends();
  const { settings, overview } = useSession();
  const accounts = useMemo(() => accountsOf(spends, settings.budget), [spends, settings.budget]);
  return (
    <>
      <h1>{budget.title}</h1>
      <Card>
        <p id="budget-rule">{ruleInWords(settings.budget)}</p>
        {overview.told !== null && (
          <p id="told">
            <strong>{toldInWords(overview.told, settings.budget)}</strong>
          </p>
        )}
        {all > spends.length && <p class="warn">{t('budget_partly', { read: spends.length, all })}</p>}
        {accounts.length > 1 && (
          <p class="soft" id="most-lost">
            {t('budget_most_lost', { epsilon: showDecimal(mostLost(spends, settings.budget), 6) })}
          </p>
        )}
        <div class="budget-accounts">
          {accounts.slice(0, SHOWN).map((account) => (
            <AccountBar key={account.spend.id} account={account} budget={settings.budget} />
          ))}
        </div>
        {accounts.length > SHOWN && (
          <p class="soft small">{t('budget_more', { n: accounts.length - SHOWN })}</p>
        )}
      </Card>
      <Card title={t('promises_title')}>
        <p>{rich('promises_about', { code: (parts) => <code>{parts}</code> })}</p>
        <ul id="promises">
          {promisesInWords(settings).map((promise) => (
            <li key={promise}>{promise}</li>
          ))}
        </ul>
        <EarlierLimitsOfRecords />
      </Card>
      <TableView definition={budget} route={route} />
    </>
  );
}

const NONE: LatestSpends = { spends: [], all: 0 };

/** The latest spends, from which accounts are summed up, and the number of all spends. */
interface LatestSpends {
  readonly spends: readonly Spend[];
  readonly all: number;
}

export function useLatestSpends(): LatestSpends {
  const { reader } = useSession();
  const dataset = useDataset(budget);
  const loaded = useLoaded(async (): Promise<LatestSpends> => {
    const ids = await reader.ids('spends');
    const first = ids[Math.max(0, ids.length - LINES)];
    return first === undefined
      ? NONE
      : { spends: await reader.range('spends', first, Infinity), all: ids.length };
  }, [reader, dataset.version]);
  return loaded ?? NONE;
}

/** What one unit has spent of its limit in one period. */
export const AccountBar = ({
  account: { spend, count: lines, impressions, epsilon, by, attribution, limit, left },
  budget: { attributionEpsilon },
}: {
  readonly account: Account;
  readonly budget: BudgetSettings;
}): JSX.Element => (
  <div class="budget-account" data-unit={spend.of}>
    <span>
      {unitWords(spend)} <span class="soft small">{t('budget_from', { time: showTime(spend.period) })}</span>
    </span>
    {limit === null ? (
      <span />
    ) : (
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (epsilon / limit) * 100)}%` }} />
      </span>
    )}
    <span class="row">
      <strong>{t('budget_epsilon', { epsilon: showDecimal(epsilon, 6) })}</strong>
      {limit !== null && <span class="soft">{t('budget_of', { limit: showDecimal(limit) })}</span>}
      {attribution > 0 && (
        <span class="soft small">
          {t('budget_attribution', {
            epsilon: showDecimal(attribution, 6),
            limit: limit === null ? '∞' : showDecimal(attributionEpsilon),
          })}
        </span>
      )}
      {left === 0 && <Chip tone="warn">{t('budget_spent')}</Chip>}
      <span class="soft small">{t('budget_lines', { lines, impressions, by })}</span>
    </span>
  </div>
);

const unitRules = {
  impression: 'budget_unit_impression',
  'user-publisher': 'budget_unit_user_publisher',
  'user-advertiser': 'budget_unit_user_advertiser',
  user: 'budget_unit_user',
} as const;

type BudgetSettings = ReturnType<typeof useSession>['settings']['budget'];

const ruleInWords = (settings: BudgetSettings): string =>
  [
    t(unitRules[settings.unit], { days: settings.period }),
    ...(settings.epsilon === null
      ? [unlimitedRule(settings)]
      : limitRules(settings, showDecimal(settings.epsilon))),
  ].join(' ');

const unlimitedRule = ({ cap }: BudgetSettings): string =>
  cap === null ? t('budget_nothing_refused') : t('budget_first_kept', { cap });

const limitRules = (
  { delta, cap, attributionEpsilon }: BudgetSettings,
  epsilon: string,
): readonly string[] => [
  delta > 0
    ? t('budget_limit_with_delta', { epsilon, delta: showDecimal(delta) })
    : t('budget_limit', { epsilon }),
  ...(attributionEpsilon === 0
    ? []
    : [t('budget_for_attribution', { epsilon: showDecimal(attributionEpsilon) })]),
  ...(cap === null ? [] : [t('budget_shares', { cap, of: attributionEpsilon === 0 ? 'all' : 'rest' })]),
];
