import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import { moment } from '../../../../src/model/units';
import { budget } from '../../tables/budget';
import {
  accountsOf,
  jointAccountsOf,
  mostLost,
  type Account,
  type JointAccount,
  type Spendings,
} from '../../explain/accounts';
import { promisesInWords, jointLossInWords } from '../../explain/promises';
import { rich, t } from '../../../i18n';
import type { Route } from '../../state/route';
import { useDataset, useSession } from '../../state/session';
import { unitWords } from '../../words/unit-words';
import { useLoaded } from '../../state/use-stored';
import { bare, showDecimal, showTime } from '../../words/words';
import { Card, Chip } from '../../ui/basics';
import { EarlierLimitsOfRecords } from '../earlier-limits';
import { TableView } from './table';

/** The most spends that are read and summed up. The table below has all. */
const LINES = 20_000;
const SHOWN = 4;

/** What each privacy unit has spent of its budget: per period, then spend by spend. */
export function BudgetView({ route }: { readonly route: Route }): JSX.Element {
  const { settings, overview } = useSession();
  const { units, shares, read, all } = useAccounts();
  return (
    <>
      <h1>{budget.title}</h1>
      <Card>
        <p id="budget-rule">{ruleInWords(settings.budget)}</p>
        {overview.jointLoss !== null && (
          <p id="joint-loss">
            <strong>{jointLossInWords(overview.jointLoss, settings.budget)}</strong>
          </p>
        )}
        {units === null ? (
          <p id="budget-unknown">{t('budget_unknown')}</p>
        ) : (
          <>
            {all > read && <p class="warn">{t('budget_partly', { read, all })}</p>}
            {units.length > 1 && (
              <p class="soft" id="most-lost">
                {t('budget_most_lost', { epsilon: showDecimal(mostLost(units), 6) })}
              </p>
            )}
            <AccountBars accounts={shares} />
            <AccountBars accounts={units} />
          </>
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

/** What decisions count, as far as it is known. */
interface Accounts {
  /** Null: unknown. */
  readonly units: readonly Account[] | null;
  readonly shares: readonly JointAccount[];
  /** How many spends were read, and how many there are: impressions have no account but these. */
  readonly read: number;
  readonly all: number;
}

type LoadedSpendings = Omit<Spendings, 'stored'> & {
  readonly stored: Spendings['stored'] | null;
  readonly all: number;
};

const LOADING: LoadedSpendings = { stored: [], spends: [], all: 0 };

export function useAccounts(): Accounts {
  const { reader, settings, overview, truth } = useSession();
  const { budget: budgetSettings } = settings;
  const dataset = useDataset(budget);
  const isOfImpressions = budgetSettings.unit === 'impression';
  const loaded = useLoaded(async (): Promise<LoadedSpendings> => {
    const stored = await reader.accounts();
    const ids = isOfImpressions ? await reader.ids('spends') : [];
    const first = ids[Math.max(0, ids.length - LINES)];
    const spends = first === undefined ? [] : await reader.range('spends', first, Infinity);
    return { stored, spends, all: ids.length };
    // What changes whose accounts are which, without a spend.
  }, [
    reader,
    dataset.version,
    isOfImpressions,
    budgetSettings.period,
    String(budgetSettings.owners),
    overview.clockAhead,
  ]);
  const { stored, spends, all } = loaded ?? LOADING;
  const now = moment(overview.now);
  const [units, shares] = useMemo(
    () =>
      stored === null
        ? [null, []]
        : [
            accountsOf({ stored, spends }, budgetSettings, now, truth),
            jointAccountsOf({ stored, spends }, budgetSettings, now),
          ],
    [stored, spends, budgetSettings, now, truth],
  );
  return { units, shares, read: spends.length, all };
}

/** The first accounts, and how many more there are. */
export function AccountBars({
  accounts,
  most = SHOWN,
}: {
  readonly accounts: readonly (Account | JointAccount)[];
  readonly most?: number;
}): JSX.Element | null {
  const { attributionEpsilon } = useSession().settings.budget;
  if (accounts.length === 0) return null;
  return (
    <>
      <div class="budget-accounts">
        {accounts.slice(0, most).map((account) => (
          <AccountBar key={account.id} account={account} attributionEpsilon={attributionEpsilon} />
        ))}
      </div>
      {accounts.length > most && <p class="soft small">{t('budget_more', { n: accounts.length - most })}</p>}
    </>
  );
}

/** What one of them has spent of its limit in one period. */
const AccountBar = ({
  account,
  attributionEpsilon,
}: {
  readonly account: Account | JointAccount;
  readonly attributionEpsilon: number;
}): JSX.Element => {
  const { of, period, count, epsilon, by, attribution, limit, left } = account;
  return (
    <div class="budget-account" data-unit={of}>
      <span>
        {holderInWords(account)}{' '}
        <span class="soft small">{t('budget_from', { time: showTime(period) })}</span>
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
        {left === 0 && (
          <Chip tone="warn">
            {t(limit === null || epsilon < limit ? 'budget_impressions_used' : 'budget_spent')}
          </Chip>
        )}
        <span class="soft small">{t('budget_lines', { impressions: count, by })}</span>
      </span>
    </div>
  );
};

const holderInWords = ({ unit, of, reportingSite }: Account | JointAccount): string =>
  isUnit(unit)
    ? reportingSite === null && of === ''
      ? t('budget_for_each')
      : unitWords({ unit, of, reportingSite })
    : t('budget_share', { share: unit, site: of === '' ? 'erased' : bare(of) });

const isUnit = (unit: Account['unit'] | JointAccount['unit']): unit is Account['unit'] =>
  Object.hasOwn(unitRules, unit);

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
