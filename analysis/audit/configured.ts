import type { BudgetSettings, JointBudget, ScoreKind } from '../../src/model/mechanisms';
import { defaultSettings, type Settings } from '../../formats/settings/settings';
import { siteOf } from '../../src/model/site';
import { epsilon, type Site } from '../../src/model/units';
import type { Audited } from './audit';
import { values } from './shapes';
import { originOf } from './world';

export const configured = (
  name: string,
  {
    budget = {},
    ...measurement
  }: Partial<Omit<Settings, 'budget'>> & {
    readonly budget?: Partial<BudgetSettings>;
  },
  more: Partial<Audited> = {},
): Audited => ({
  name,
  settings: {
    ...defaultSettings,
    ...measurement,
    budget: { ...defaultSettings.budget, ...budget },
  },
  registered: epsilon(1),
  ...more,
});

export const one = epsilon(1);

type PrivateKind = 'exponential' | 'permute-and-flip';

/** Moves of up to two hours are protected, which is what the relations move. */
export const choice = (kind: PrivateKind, score: ScoreKind, of = 0.3) =>
  ({ kind, epsilon: epsilon(of), score, unit: 'hours', tau: 2, gap: null }) as const;

export const shared = { epsilon: one, cap: 2, attributionEpsilon: epsilon(0.5) } as const;

export const most = epsilon(14);

/** Sources report the truth nearly always, so that their reports show who gets the credit. */
export const barelyNoised = (kind: PrivateKind) => ({ attribution: choice(kind, 'linear', 3) }) as const;

/** More than there are tries in the 30 days after which a report is given up. */
export const failures = Array.from({ length: 200 }, () => 503);

export const bins = values([1, 3]);
/** A prior of the values 0, 1 and 3, which are the starts of the bins. */
export const prior = { values: [0, 1, 3], prior: [0.5, 0.3, 0.2] } as const;

/** Every quota is as large as the others. */
export const jointly = (whole: number, quota = whole): JointBudget => ({
  epsilon: epsilon(whole),
  reportingSite: epsilon(quota),
  sourceSite: epsilon(quota),
  destination: epsilon(quota),
});

export const siteNamed = (name: string): Site => siteOf(originOf(name));
