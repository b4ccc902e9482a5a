import type { BudgetSettings, MeasurementSettings } from '../../src/model/mechanisms';
import { defaultSettings } from '../../formats/settings/settings';
import { epsilon } from '../../src/model/units';
import type { Audited } from './audit';

const configured = (
  name: string,
  {
    budget = {},
    ...measurement
  }: Partial<Omit<MeasurementSettings, 'budget'>> & {
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

const one = epsilon(1);

const choice = (kind: 'exponential' | 'permute-and-flip', score: 'linear' | 'exponential') =>
  ({ kind, epsilon: epsilon(0.3), score, unit: 'hours', tau: 2, gap: null }) as const;

const shared = { epsilon: one, cap: 2, attributionEpsilon: epsilon(0.5) } as const;

/** The configurations that `cointoss audit` tries, and continuous integration with it. */
export const matrix: readonly Audited[] = [
  configured('no budget', {}),
  configured('impression', { budget: { epsilon: one } }),
  configured('user, K = 1', { budget: { unit: 'user', epsilon: one, cap: 1 } }),
  configured('user, K = 2', { budget: { unit: 'user', epsilon: one, cap: 2 } }),
  configured('user-publisher, K = 1', { budget: { unit: 'user-publisher', epsilon: one, cap: 1 } }),
  configured('user-advertiser, K = 2', { budget: { unit: 'user-advertiser', epsilon: one, cap: 2 } }),
  configured('user, exponential mechanism', {
    attribution: choice('exponential', 'linear'),
    budget: { ...shared, unit: 'user' },
  }),
  configured('user-publisher, exponential mechanism', {
    attribution: choice('exponential', 'linear'),
    budget: { ...shared, unit: 'user-publisher' },
  }),
  configured('user-publisher, exponential score', {
    attribution: choice('exponential', 'exponential'),
    budget: { ...shared, unit: 'user-publisher' },
  }),
  configured('user-advertiser, permute-and-flip', {
    attribution: choice('permute-and-flip', 'linear'),
    budget: { ...shared, unit: 'user-advertiser' },
  }),
  configured(
    'user, label noise with a prior',
    {
      labelNoise: { kind: 'rr-with-prior', prior: [0.9, 0.1] },
      budget: { unit: 'user', epsilon: epsilon(4), cap: 2 },
    },
    { registered: epsilon(4) },
  ),
  configured('user, one budget for all ad techs, K = 1', {
    budget: { unit: 'user', perReportingSite: false, epsilon: one, cap: 1 },
  }),
  configured('user-publisher, one budget for all ad techs, exponential mechanism', {
    attribution: choice('exponential', 'linear'),
    budget: { ...shared, unit: 'user-publisher', perReportingSite: false },
  }),
  configured(
    'user, randomized response on bins of the value',
    { budget: { unit: 'user', epsilon: one, cap: 2 } },
    { bins: [1, 3] },
  ),
  configured(
    'user, a private prior from other people',
    {
      labelNoise: { kind: 'rr-with-prior', prior: [0.5, 0.5] },
      budget: { unit: 'user', epsilon: one, cap: 1 },
    },
    { prior: { epsilon: epsilon(0.5), split: 'people' } },
  ),
  configured(
    'impression, a private prior out of its budget',
    { labelNoise: { kind: 'rr-with-prior', prior: [0.5, 0.5] }, budget: { epsilon: epsilon(3) } },
    { registered: epsilon(3), prior: { epsilon: one, split: 'budget' } },
  ),
  configured('debug reports', {}, { debugReports: true }),
];
