import { accountsOf, shareAmong, shareOfImpression, type Account } from '../../src/limits/privacy-budget';
import type { Allowance } from '../../src/model/decision';
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
export interface Impression extends Pick<Source, 'sourceSite' | 'time'> {
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
  return granted(members, shareAmong(budget, members.length));
}

function shareOfChosen(budget: BudgetSettings, { account, members }: Group, random: RandomSource): Shares {
  const cap = budget.cap ?? members.length;
  const refused: Allowance = {
    kind: 'refused',
    refusal: { id: 'not-drawn', unit: account.unit, of: account.of, cap, from: members.length },
  };
  const order = members.length <= cap ? members : shuffle(random, members);
  const others = order.slice(cap).map((index) => [index, refused] as const);
  return new Map([...granted(order.slice(0, cap), shareOfImpression(budget)), ...others]);
}

/** Without an ε, only a cap applies, and each impression keeps its registered ε. */
const granted = (members: readonly number[], epsilon: Epsilon | null): Shares =>
  new Map(epsilon === null ? [] : members.map((index) => [index, { kind: 'granted', epsilon }]));

function lesser(one: Allowance | undefined, other: Allowance): Allowance {
  if (one === undefined) return other;
  if (one.kind === 'refused') return one;
  if (other.kind === 'refused') return other;
  return one.epsilon <= other.epsilon ? one : other;
}
