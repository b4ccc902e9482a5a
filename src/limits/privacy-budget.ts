import type { CheckValues } from '../model/checks';
import type { Allowance } from '../model/decision';
import type { BudgetSettings } from '../model/mechanisms';
import type { Source } from '../model/records';
import { budgetKey, type Spend } from '../model/spend';
import type { Trigger } from '../model/trigger';
import { epsilon as epsilonOf, probability, type Epsilon, type Probability } from '../model/units';
import type { Work } from '../work';
import { areWithin, groupPrivacy } from '../privacy/composition';
import { Rational } from '../privacy/rational';
import { charge, recordSpend, spentOn, type AccountHolder, type Spent } from './accounts';
import {
  endOfPeriod,
  fullShare,
  jointAccountsOf,
  observerOf,
  periodOf,
  type Impression,
} from './joint-budget';

export { lossOf, type AccountHolder } from './accounts';

type AttributedTrigger = Pick<Trigger, 'id' | 'time' | 'destination'>;

/** The accounts of an impression; with the unit `user-advertiser`, one per destination. */
export function accountsOf(
  budget: BudgetSettings,
  source: Impression & Pick<Source, 'id'>,
): readonly AccountHolder[] {
  const { unit, owners } = budget;
  const period = periodOf(budget, source.time);
  const end = endOfPeriod(budget, period);
  const reportingSite = observerOf(owners, source.reportingOrigin);
  const named = (of: string): AccountHolder => ({ unit, of, reportingSite, period, end });
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
  const whole = Rational.of(epsilon).minus(Rational.of(attributionEpsilon));
  return roundedDown(whole.over(Rational.of(BigInt(count))));
}

/** A double just below or equal to `exact`: K shares must not add up to more than the budget. */
function roundedDown(exact: Rational): Epsilon {
  const nearest = exact.toNumber();
  return epsilonOf(Rational.of(nearest).compare(exact) > 0n ? nearest * (1 - 2 ** -52) : nearest);
}

/**
 * What a new source may spend, if not known beforehand by what its units spent on reports. Private attribution spends its own part of the
 * budget, so this does not depend on conversions. Records nothing.
 */
export function allowanceOf(work: Work, source: Source): Allowance {
  const settings = work.measurement.budget;
  const share = work.allowance?.epsilon ?? shareOfImpression(settings);
  const registered = source.registration.eventLevelEpsilon;
  const epsilon = share === null ? registered : epsilonOf(Math.min(share, registered));
  if (share !== null) work.trace.check('budget-share', true, { epsilon, registered });
  // An output that is noise alone reveals nothing, so it takes no place.
  if (registered === 0) return { kind: 'granted', epsilon };
  if (work.allowance !== undefined) return withinJoint(work, source, work.allowance);
  const part = partFor('report', settings);
  const { cap } = settings;
  for (const account of cap === null && part === null ? [] : accountsOf(settings, source)) {
    const spent = spentOn(work.draft, account, 'report');
    const { unit, of, reportingSite } = account;
    const named = { unit, of, reportingSite };
    if (cap !== null) {
      const values = { ...named, count: spent.count + 1, limit: cap };
      if (!work.trace.check('impressions-of-unit', spent.count < cap, values))
        return { kind: 'refused', epsilon, refusal: { id: 'impressions', ...named, cap } };
    }
    if (part === null) continue;
    const { fits, values } = balance(part, spent, Rational.of(epsilon));
    const effect = fits ? 'spent' : 'refused';
    if (!work.trace.check('privacy-budget', fits, { ...named, ...values, effect }))
      return { kind: 'refused', epsilon, refusal: { id: 'epsilon', ...named, epsilon: values.budget } };
  }
  return withinJoint(work, source, { kind: 'granted', epsilon });
}

/** What is left of an allowance by the budget that all reporting sites share. */
function withinJoint(work: Work, source: Source, allowance: Allowance): Allowance {
  const { epsilon } = allowance;
  const { budget } = work.measurement;
  if (allowance.kind === 'refused' || budget.joint === null) return allowance;
  const full = fullShare(work, jointAccountsOf(budget, source), Rational.of(epsilon));
  return full === null ? allowance : { kind: 'refused', epsilon, refusal: { id: 'joint', ...full } };
}

/** Records the ε of a source's output. */
export function spendOnReport(work: Work, source: Source): void {
  if (source.registration.eventLevelEpsilon === 0) return;
  const { budget } = work.measurement;
  const loss = Rational.of(source.registration.eventLevelEpsilon);
  for (const account of jointAccountsOf(budget, source)) charge(work.draft, account, 'report', loss);
  for (const account of accountsOf(budget, source)) {
    recordSpend(work.draft, {
      contextSite: source.sourceSite,
      time: source.time,
      purpose: 'report',
      epsilon: source.registration.eventLevelEpsilon,
      sourceIds: [source.id],
      triggerId: null,
      ...account,
    });
  }
}

/**
 * Charges an ε-private choice among candidates to their units, and returns those that may take part: the candidates of units that can afford it. A
 * unit pays ε for each of its candidates. The unit `user` pays nothing, and all take part: all candidates are one person's, and the ε of their
 * outputs covers all that depends on the choice.
 * @param epsilon the loss of each candidate
 */
export function spendOnAttribution(
  work: Work,
  trigger: AttributedTrigger,
  candidates: readonly Source[],
  epsilon: Epsilon,
): readonly Source[] {
  const settings = work.measurement.budget;
  if (settings.unit === 'user') return candidates;
  let taking = candidates;
  const part = partFor('attribution', settings);
  for (const { account, members } of accountGroups(settings, candidates)) {
    if (part === null) break;
    const loss = groupPrivacy(Rational.of(epsilon), members.length);
    const spent = spentOn(work.draft, account, 'attribution');
    const found = balance(part, spent, loss);
    // Leaving a unit out is no failure of the conversion while others take part.
    const effect = found.fits ? 'spent' : 'excluded';
    const { unit, of, reportingSite } = account;
    work.trace.check('privacy-budget', true, { unit, of, reportingSite, ...found.values, effect });
    if (!found.fits) taking = taking.filter((source) => !members.includes(source));
  }
  enterAttribution(work, trigger, taking, epsilon);
  return taking;
}

/** Records that an ε-private attribution looked at these sources. */
export function enterAttribution(
  work: Work,
  trigger: AttributedTrigger,
  sources: readonly Source[],
  epsilon: Epsilon,
): void {
  for (const { account, members } of accountGroups(work.measurement.budget, sources))
    recordSpend(work.draft, {
      contextSite: trigger.destination,
      time: trigger.time,
      purpose: 'attribution',
      epsilon,
      sourceIds: members.map(({ id }) => id),
      triggerId: trigger.id,
      ...account,
    });
}

/** The accounts of some sources, each with its sources. */
export function accountGroups(
  settings: BudgetSettings,
  sources: readonly Source[],
): readonly { readonly account: AccountHolder; readonly members: readonly Source[] }[] {
  const groups = new Map<string, { account: AccountHolder; members: Source[] }>();
  for (const source of sources)
    for (const account of accountsOf(settings, source)) {
      const group = groups.get(budgetKey(account)) ?? { account, members: [] };
      group.members.push(source);
      groups.set(budgetKey(account), group);
    }
  return [...groups.values()];
}

interface Part {
  readonly epsilon: Rational;
  readonly delta: Rational;
}

/** δ of the part for reports and of that for attribution: they share it. */
export const deltaOfPart = ({ delta, attributionEpsilon }: BudgetSettings): Probability =>
  probability(attributionEpsilon > 0 ? delta / 2 : delta);

/** The part of a unit's ε for reports or for attribution; null without ε. */
function partFor(purpose: Spend['purpose'], settings: BudgetSettings): Part | null {
  if (settings.epsilon === null) return null;
  const asked = Rational.of(settings.attributionEpsilon);
  const epsilon = purpose === 'attribution' ? asked : Rational.of(settings.epsilon).minus(asked);
  return { epsilon, delta: Rational.of(deltaOfPart(settings)) };
}

/** Whether a unit can afford `loss`, with the numbers. */
function balance(
  part: Part,
  { sum, squares }: Spent,
  loss: Rational,
): {
  readonly fits: boolean;
  readonly values: Pick<CheckValues['privacy-budget'], 'loss' | 'spent' | 'budget'>;
} {
  const together = { sum: sum.plus(loss), squares: squares.plus(loss.times(loss)) };
  return {
    fits: areWithin(together, part.epsilon, part.delta),
    values: { loss: loss.toNumber(), spent: sum.toNumber(), budget: part.epsilon.toNumber() },
  };
}
