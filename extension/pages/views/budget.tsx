import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Spend } from '../../../src/model/spend';
import { budget, unitOf } from '../data/tables/budget';
import { accountsOf, mostLost, type Account } from '../explain/accounts';
import type { Route } from '../lib/route';
import { useDataset, useSession } from '../lib/session';
import { useLoaded } from '../lib/use-stored';
import { count, showNumber, showTime } from '../lib/words';
import { Card, Chip } from '../ui/basics';
import { TableView } from './table';

/** As many accounts as are read and summed up; the table below has every line. */
const LINES = 2000;
const SHOWN = 4;

/** What was told about whom, against what may be: per unit and period, then line by line. */
export function BudgetView({ route }: { readonly route: Route }): JSX.Element {
  const spends = useLatestSpends();
  const { settings } = useSession();
  const accounts = useMemo(() => accountsOf(spends ?? [], settings.budget), [spends, settings.budget]);
  return (
    <>
      <h1>Budget</h1>
      <Card>
        <p id="budget-rule">{ruleInWords(settings.budget)}</p>
        {accounts.length > 1 && (
          <p class="soft" id="most-lost">
            Units are apart from each other, so that what is told of them composes in parallel: none has lost
            more than ε = {digits(mostLost(spends ?? [], settings.budget))}.
          </p>
        )}
        <div class="budget-accounts">
          {accounts.slice(0, SHOWN).map((account) => (
            <AccountBar key={account.spend.id} account={account} limit={settings.budget.epsilon} />
          ))}
        </div>
        {accounts.length > SHOWN && (
          <p class="soft small">and {showNumber(accounts.length - SHOWN)} more; each line is below.</p>
        )}
      </Card>
      <TableView definition={budget} route={route} />
    </>
  );
}

/** The spends that accounts are summed up from; null when they cannot be read, undefined before. */
export function useLatestSpends(): readonly Spend[] | null | undefined {
  const { reader } = useSession();
  const dataset = useDataset(budget);
  return useLoaded(async () => {
    const ids = await reader.ids('spends');
    return ids.length === 0
      ? []
      : reader.range('spends', ids[Math.max(0, ids.length - LINES)] ?? 0, Infinity);
  }, [reader, dataset.version]);
}

/** What one unit has spent in one period, of what it may. */
export const AccountBar = ({
  account: { spend, count: lines, impressions, epsilon, by, left },
  limit,
}: {
  readonly account: Account;
  readonly limit: number | null;
}): JSX.Element => (
  <div class="budget-account" data-unit={spend.of}>
    <span>
      {unitOf(spend)} <span class="soft small">from {showTime(spend.period)}</span>
    </span>
    {limit === null ? (
      <span />
    ) : (
      <span class="bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, (epsilon / limit) * 100)}%` }} />
      </span>
    )}
    <span class="row">
      <strong>ε = {digits(epsilon)}</strong>
      {limit !== null && <span class="soft">of {limit}</span>}
      {left === 0 && <Chip tone="warn">spent</Chip>}
      <span class="soft small">
        {count(lines, 'spend')}, {count(impressions, 'impression')}, by {by} composition
      </span>
    </span>
  </div>
);

const digits = (value: number): string => String(Number(value.toPrecision(6)));

const units = {
  impression: 'each impression',
  'user-publisher': 'the person on each publisher',
  'user-advertiser': 'the person for each advertiser',
  user: 'the person',
} as const;

function ruleInWords({
  unit,
  period,
  epsilon,
  delta,
  cap,
  attributionEpsilon,
}: ReturnType<typeof useSession>['settings']['budget']): string {
  const who = `The privacy unit is ${units[unit]}, in periods of ${count(period, 'day')}.`;
  if (epsilon === null)
    return `${who} Spends are recorded, and ${cap === null ? 'nothing is refused' : `only the first ${count(cap, 'impression')} of a unit and period are kept`}.`;
  const shares =
    cap === null
      ? ''
      : ` The first ${count(cap, 'impression')} share ${attributionEpsilon === 0 ? 'it' : 'the rest'} evenly.`;
  const kept = attributionEpsilon === 0 ? '' : ` ${attributionEpsilon} of it is kept for attribution.`;
  return `${who} It may lose ε = ${epsilon}${delta > 0 ? ` with δ = ${delta}` : ''} in all.${kept}${shares}`;
}
