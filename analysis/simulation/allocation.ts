import {
  accountsOf,
  shareAmong,
  shareOfImpression,
  type AccountHolder,
} from '../../src/limits/privacy-budget';
import type { Allowance } from '../../src/model/decision';
import type { BudgetRefusal } from '../../src/model/facts';
import type { BudgetSettings } from '../../src/model/mechanisms';
import type { Source } from '../../src/model/records';
import { rememberedByKey } from '../../src/model/remembered';
import { budgetKey } from '../../src/model/spend';
import type { Epsilon } from '../../src/model/units';
import type { RandomSource } from '../../src/privacy/random-source';
import { shuffle } from '../../src/privacy/uniform';

/**
 * How the impressions of a privacy unit and period share its ε. `per-cap`: the first K get ε/K each, as on a device, which cannot know the
 * future. `per-count`: all of them, ε/Kᵢ each, where Kᵢ is their number. `random-cap`: a uniformly random K of them, ε/K each. The last two
 * read the whole log first. docs/noise.md says what each guarantees.
 */
export const allocationPolicies = ['per-cap', 'per-count', 'random-cap'] as const;

export type AllocationPolicy = (typeof allocationPolicies)[number];

/** A valid source, with the fields that decide its privacy units. */
export interface Impression extends Pick<Source, 'sourceSite' | 'reportingOrigin' | 'time'> {
  readonly registration: Pick<Source['registration'], 'destinations' | 'eventLevelEpsilon'>;
}

/** The impressions of one unit and period, by index in the log. */
interface Group {
  readonly account: AccountHolder;
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
  const divide = divider(policy, budget);
  for (const group of groupsOf(budget, impressions)) {
    const { share, chosen } = divide(group.members, random);
    const refused = refusalsOf(group, chosen);
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
    // An output that is noise alone reveals nothing, so it takes no place.
    if (impression.registration.eventLevelEpsilon === 0) return;
    for (const account of accountsOf(budget, { ...impression, id: index })) {
      const group = groups.get(budgetKey(account)) ?? { account, members: [] };
      group.members.push(index);
      groups.set(budgetKey(account), group);
    }
  });
  return [...groups.values()];
}

type Divide = (
  members: readonly number[],
  random: RandomSource,
) => { readonly share: Epsilon | null; readonly chosen: readonly number[] };

/**
 * How the members of one unit and period share its ε: what each of the chosen may spend (null: what it registered), and who is chosen, the
 * first or a random K of them by the given randomness. Logs have many units of few sizes, so each share is calculated once.
 */
export function divider(policy: AllocationPolicy, budget: BudgetSettings): Divide {
  if (policy === 'per-count') {
    const shareOf = rememberedByKey((count: number) => shareAmong(budget, count));
    return (members) => ({ share: shareOf(members.length), chosen: members });
  }
  const share = shareOfImpression(budget);
  return (members, random) => {
    const cap = budget.cap ?? members.length;
    const order = policy === 'per-cap' || members.length <= cap ? members : shuffle(random, members);
    return { share, chosen: order.slice(0, cap) };
  };
}

/** Those who are not chosen answer as if nothing had happened. */
function refusalsOf(
  { account, members }: Group,
  chosen: readonly number[],
): ReadonlyMap<number, BudgetRefusal> {
  const { unit, of, reportingSite } = account;
  const cap = chosen.length;
  const refusal: BudgetRefusal = { id: 'not-drawn', unit, of, reportingSite, cap, from: members.length };
  const answering = new Set(chosen);
  return new Map(members.filter((index) => !answering.has(index)).map((index) => [index, refusal]));
}

function lesser(one: Allowance, share: Epsilon | null, refusal: BudgetRefusal | null): Allowance {
  const epsilon = share === null || share > one.epsilon ? one.epsilon : share;
  if (one.kind === 'refused' || refusal === null) return { ...one, epsilon };
  return { kind: 'refused', epsilon, refusal };
}
