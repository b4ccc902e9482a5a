import type { CheckValues } from '../model/checks';
import type { Allowance } from '../model/decision';
import type { BudgetSettings } from '../model/mechanisms';
import type { InternalId, Source } from '../model/records';
import { budgetKey, type Spend } from '../model/spend';
import { days, epsilon as epsilonOf, moment, type Epsilon, type Moment } from '../model/units';
import type { Work } from '../work';
import { basicComposition, groupPrivacy, isWithin } from '../privacy/composition';
import { Rational } from '../privacy/rational';
import type { ReadTransaction, Transaction } from '../store/store';

/** A privacy unit in one period. */
export type Account = Pick<Spend, 'unit' | 'of' | 'period'>;

type AttributedTrigger = { readonly id: InternalId; readonly time: Moment };

type Impression = Pick<Source, 'id' | 'sourceSite' | 'time'> & {
  readonly registration: Pick<Source['registration'], 'destinations' | 'eventLevelEpsilon'>;
};

/** The accounts of an impression; with the unit `user-advertiser`, one per destination. */
export function accountsOf(
  { unit, period }: BudgetSettings,
  source: Omit<Impression, 'registration'> & {
    readonly registration: Pick<Source['registration'], 'destinations'>;
  },
): readonly Account[] {
  const length = days(period);
  const start = moment(Math.floor(source.time / length) * length);
  const named = (of: string): Account => ({ unit, of, period: start });
  switch (unit) {
    case 'impression':
      return [named(String(source.id))];
    case 'user-publisher':
      return [named(source.sourceSite)];
    case 'user-advertiser':
      return source.registration.destinations.map(named);
    case 'user':
      return [named('')];
  }
}

/** ε of one impression: the budget without its attribution part, divided by K. */
export const shareOfImpression = (budget: BudgetSettings): Epsilon | null =>
  shareAmong(budget, budget.cap ?? 1);

/** ε of each of `count` impressions that share the budget without its attribution part; null without ε. */
export function shareAmong({ epsilon, attributionEpsilon }: BudgetSettings, count: number): Epsilon | null {
  if (epsilon === null) return null;
  return roundedDown(
    Rational.of(epsilon)
      .minus(Rational.of(attributionEpsilon))
      .over(Rational.of(BigInt(count))),
  );
}

/** A double just below or equal to `exact`: K shares must not add up to more than the budget. */
function roundedDown(exact: Rational): Epsilon {
  const nearest = exact.toNumber();
  return epsilonOf(Rational.of(nearest).compare(exact) > 0n ? nearest * (1 - 2 ** -52) : nearest);
}

/** What a new source may spend, given the spends of its units. Records nothing. */
export async function allowanceOf(work: Work, source: Impression): Promise<Allowance> {
  const settings = work.measurement.budget;
  const share = shareOfImpression(settings);
  const registered = source.registration.eventLevelEpsilon;
  const epsilon = share === null ? registered : epsilonOf(Math.min(share, registered));
  for (const account of accountsOf(settings, source)) {
    const spends = await spendsOf(work.tx, account);
    const impressions = spends.filter(({ purpose }) => purpose === 'report').length;
    const { unit, of } = account;
    const { cap } = settings;
    if (cap !== null) {
      const values = { unit, of, count: impressions + 1, limit: cap };
      if (!work.trace.check('impressions-of-unit', impressions < cap, values))
        return { kind: 'refused', refusal: { id: 'impressions', unit, of, cap } };
    }
    const found = balance(settings, spends, Rational.of(epsilon));
    if (found === null) continue;
    const { fits, values } = found;
    const effect = fits ? 'spent' : 'refused';
    if (!work.trace.check('privacy-budget', fits, { unit, of, ...values, effect }))
      return { kind: 'refused', refusal: { id: 'epsilon', unit, of, epsilon: values.budget } };
  }
  if (share !== null) work.trace.check('budget-share', true, { epsilon, registered });
  return { kind: 'granted', epsilon };
}

/** Records the ε of a source's output. */
export async function spendOnReport(work: Work, source: Source): Promise<void> {
  for (const account of accountsOf(work.measurement.budget, source)) {
    await put(work.tx, {
      ...account,
      time: source.time,
      purpose: 'report',
      epsilon: source.registration.eventLevelEpsilon,
      sourceIds: [source.id],
      triggerId: null,
    });
  }
}

/** Records an ε-private attribution and returns the candidates that took part: those of units that can afford all theirs. */
export async function spendOnAttribution(
  work: Work,
  trigger: AttributedTrigger,
  candidates: readonly Source[],
  epsilon: Epsilon,
): Promise<readonly Source[]> {
  const settings = work.measurement.budget;
  let taking = candidates;
  for (const { account, members } of accountGroups(settings, candidates)) {
    const loss = groupPrivacy(Rational.of(epsilon), members.length);
    const found = balance(settings, await spendsOf(work.tx, account), loss);
    if (found === null) continue;
    // Leaving a unit out is no failure of the conversion while others take part.
    const effect = found.fits ? 'spent' : 'excluded';
    const { unit, of } = account;
    work.trace.check('privacy-budget', true, { unit, of, ...found.values, effect });
    if (!found.fits) taking = taking.filter((source) => !members.includes(source));
  }
  await enterAttribution(work, trigger, taking, epsilon);
  return taking;
}

/** Records that an ε-private attribution looked at these sources. */
export async function enterAttribution(
  work: Work,
  trigger: AttributedTrigger,
  sources: readonly Source[],
  epsilon: Epsilon,
): Promise<void> {
  for (const { account, members } of accountGroups(work.measurement.budget, sources))
    await put(work.tx, {
      ...account,
      time: trigger.time,
      purpose: 'attribution',
      epsilon,
      sourceIds: members.map(({ id }) => id),
      triggerId: trigger.id,
    });
}

/** The accounts of some sources, each with its sources. */
export function accountGroups(
  settings: BudgetSettings,
  sources: readonly Source[],
): readonly { readonly account: Account; readonly members: readonly Source[] }[] {
  const groups = new Map<string, { account: Account; members: Source[] }>();
  for (const source of sources)
    for (const account of accountsOf(settings, source)) {
      const group = groups.get(budgetKey(account)) ?? { account, members: [] };
      group.members.push(source);
      groups.set(budgetKey(account), group);
    }
  return [...groups.values()];
}

/** Whether a unit can afford `loss`, with the numbers; null without ε. */
function balance(
  { epsilon, delta }: BudgetSettings,
  spends: readonly Spend[],
  loss: Rational,
): {
  readonly fits: boolean;
  readonly values: Pick<CheckValues['privacy-budget'], 'loss' | 'spent' | 'budget'>;
} | null {
  if (epsilon === null) return null;
  const losses = spends.map(lossOf);
  return {
    fits: isWithin([...losses, loss], Rational.of(epsilon), Rational.of(delta)),
    values: { loss: loss.toNumber(), spent: basicComposition(losses).toNumber(), budget: epsilon },
  };
}

/** What a spend takes from its unit. */
export const lossOf = ({ epsilon, sourceIds }: Pick<Spend, 'epsilon' | 'sourceIds'>): Rational =>
  groupPrivacy(Rational.of(epsilon), sourceIds.length);

const spendsOf = (tx: ReadTransaction, account: Account): Promise<Spend[]> =>
  tx.table('spends').where('account', budgetKey(account));

async function put(tx: Transaction, spend: Omit<Spend, 'id'>): Promise<void> {
  await tx.table('spends').put({ ...spend, id: await tx.nextId() });
}
