import { accountsOf, shareAmong, shareOfImpression, type Account } from '../../src/limits/privacy-budget';
import type { Allowance } from '../../src/model/decision';
import type { BudgetSettings } from '../../src/model/mechanisms';
import type { Source } from '../../src/model/records';
import { budgetKey } from '../../src/model/spend';
import type { RandomSource } from '../../src/privacy/random-source';
import { shuffle } from '../../src/privacy/uniform';

/**
 * How the impressions of a privacy unit and period share its ε.
 *
 * - `per-cap`: the first K, ε/K each, as on a device, which cannot know what comes.
 * - `per-count`: all of them, ε/Kᵢ each, Kᵢ being how many there are.
 * - `random-cap`: a uniformly random K of them, ε/K each.
 *
 * The last two look at the whole log first. See docs/noise.md for what each guarantees.
 */
export type AllocationPolicy = 'per-cap' | 'per-count' | 'random-cap';

/** A source that parses: what decides which units it belongs to. */
export interface Impression extends Pick<Source, 'sourceSite' | 'time'> {
  readonly registration: Pick<Source['registration'], 'destinations' | 'eventLevelEpsilon'>;
}

/** The impressions of one unit and period, by their places in the log. */
interface Group {
  readonly account: Account;
  readonly members: number[];
}

/** Why a policy cannot be carried out with these settings; null when it can. */
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
 * What each impression of a whole log may spend; null where the budget is to say so as the impressions come. An impression of
 * several units gets the least that any of them gives it.
 * @param random chooses for `random-cap`.
 */
export function allocate(
  policy: AllocationPolicy,
  budget: BudgetSettings,
  impressions: readonly Impression[],
  random: RandomSource,
): readonly Allowance[] | null {
  if (policy === 'per-cap') return null;
  const groups = groupsOf(budget, impressions);
  const given: Allowance[] = impressions.map(({ registration }) => ({
    kind: 'granted',
    epsilon: registration.eventLevelEpsilon,
  }));
  for (const group of groups) {
    const shares = policy === 'per-count' ? shareOfAll(budget, group) : shareOfChosen(budget, group, random);
    for (const [index, share] of shares) given[index] = lesser(given[index], share);
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

type Shares = ReadonlyMap<number, Allowance>;

function shareOfAll(budget: BudgetSettings, { members }: Group): Shares {
  const share = granted(shareAmong(budget, members.length));
  return new Map(members.map((index) => [index, share]));
}

function shareOfChosen(budget: BudgetSettings, { account, members }: Group, random: RandomSource): Shares {
  const cap = budget.cap ?? members.length;
  const share = granted(shareOfImpression(budget));
  const refused: Allowance = {
    kind: 'refused',
    refusal: { id: 'not-drawn', unit: account.unit, of: account.of, cap, from: members.length },
  };
  const chosen = members.length <= cap ? members : shuffle(random, members).slice(0, cap);
  const shares = new Map<number, Allowance>(members.map((index) => [index, refused]));
  for (const index of chosen) shares.set(index, share);
  return shares;
}

/** Without an ε, a cap alone limits, and each impression keeps what it registered. */
const granted = (share: number | null): Allowance => ({ kind: 'granted', epsilon: share ?? Infinity });

function lesser(one: Allowance | undefined, other: Allowance): Allowance {
  if (one === undefined) return other;
  if (one.kind === 'refused') return one;
  if (other.kind === 'refused') return other;
  return one.epsilon <= other.epsilon ? one : other;
}
