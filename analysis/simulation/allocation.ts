import { accountsOf, shareAmong, shareOfImpression, type Account } from '../../src/limits/privacy-budget';
import type { Allowance } from '../../src/model/decision';
import type { BudgetRefusal } from '../../src/model/facts';
import type { BudgetSettings } from '../../src/model/mechanisms';
import type { Source } from '../../src/model/records';
import { budgetKey } from '../../src/model/spend';
import type { Epsilon } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { shuffle } from '../../src/privacy/uniform';

/**
 * How the impressions of a privacy unit and period share its ε. `per-cap`: the first K get ε/K each, as on a device, which cannot know the
 * future. `per-count`: all of them, ε/Kᵢ each, where Kᵢ is their number. `random-cap`: a uniformly random K of them, ε/K each. The last two
 * read the whole log first. docs/noise.md says what each guarantees.
 */
export type AllocationPolicy = 'per-cap' | 'per-count' | 'random-cap';

/** A valid source, with the fields that decide its privacy units. */
export interface Impression extends Pick<Source, 'sourceSite' | 'reportingOrigin' | 'time'> {
  readonly registration: Pick<Source['registration'], 'destinations' | 'eventLevelEpsilon'>;
}

/** The impressions of one unit and period, by index in the log. */
interface Group {
  readonly account: Account;
  readonly members: number[];
}

/** Why the policy is impossible with these settings; null when it is possible. */
export function policyProblem(
  policy: AllocationPolicy,
  { epsilon, cap, unit }: BudgetSettings,
): string | null {
  if (policy === 'per-count' && epsilon === null)
    return 'must have a budget.epsilon, which per-count divides';
  if (policy === 'random-cap' && cap === null && unit !== 'impression')
    return 'must have a budget.cap, which is how many random-cap chooses';
  return null;
}

/**
 * What each impression of a log may spend; null where the budget decides at runtime. An impression of several units gets the smallest of
 * their shares.
 * @param random chooses for `random-cap`.
 */
export function allocate(
  policy: AllocationPolicy,
  budget: BudgetSettings,
  impressions: readonly Impression[],
  random: RandomSource,
): readonly Allowance[] | null {
  if (policy === 'per-cap') return null;
  const given: Allowance[] = impressions.map(({ registration }) => ({
    kind: 'granted',
    epsilon: registration.eventLevelEpsilon,
  }));
  for (const group of groupsOf(budget, impressions)) {
    const { share, refused } =
      policy === 'per-count' ? shareOfAll(budget, group) : shareOfChosen(budget, group, random);
    for (const index of group.members) {
      const before = given[index];
      if (before !== undefined) given[index] = lesser(before, share, refused.get(index) ?? null);
    }
  }
  return given;
}

function groupsOf(budget: BudgetSettings, impressions: readonly Impression[]): readonly Group[] {
  const groups = new Map<string, Group>();
  impressions.forEach((impression, index) => {
    for (const account of accountsOf(budget, { ...impression, id: index })) {
      const group = groups.get(budgetKey(account)) ?? { account, members: [] };
      group.members.push(index);
      groups.set(budgetKey(account), group);
    }
  });
  return [...groups.values()];
}

/** What each member of a group may spend; null: what it registered. A refused one answers as if nothing had happened. */
interface Shares {
  readonly share: Epsilon | null;
  readonly refused: ReadonlyMap<number, BudgetRefusal>;
}

const shareOfAll = (budget: BudgetSettings, { members }: Group): Shares => ({
  share: shareAmong(budget, members.length),
  refused: new Map(),
});

function shareOfChosen(budget: BudgetSettings, { account, members }: Group, random: RandomSource): Shares {
  const cap = budget.cap ?? members.length;
  const { unit, of, reportingSite } = account;
  const refusal: BudgetRefusal = { id: 'not-drawn', unit, of, reportingSite, cap, from: members.length };
  const order = members.length <= cap ? members : shuffle(random, members);
  return {
    share: shareOfImpression(budget),
    refused: new Map(order.slice(cap).map((index) => [index, refusal])),
  };
}

function lesser(one: Allowance, share: Epsilon | null, refusal: BudgetRefusal | null): Allowance {
  const epsilon = share === null || share > one.epsilon ? one.epsilon : share;
  if (one.kind === 'refused' || refusal === null) return { ...one, epsilon };
  return { kind: 'refused', epsilon, refusal };
}
