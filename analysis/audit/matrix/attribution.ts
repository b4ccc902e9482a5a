import type { Audited } from '../audit';
import { askedBefore } from '../chosen';
import { epsilon, probability } from '../../../src/model/units';
import { barelyNoised, choice, configured, most, shared } from '../configured';

/** Private attribution, in the budget of a unit or with hardly any noise in the outputs. */
export const ofAttribution: readonly Audited[] = [
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
  configured('exponential mechanism, hardly any noise', barelyNoised('exponential'), { registered: most }),
  configured(
    'exponential mechanism, reciprocal score, hardly any noise',
    { attribution: { ...choice('exponential', 'reciprocal', 3), gap: 3 } },
    { registered: most, only: ['credit-of-moved-click', 'credit-of-passed-click'] },
  ),
  configured('permute-and-flip, hardly any noise', barelyNoised('permute-and-flip'), { registered: most }),
  configured(
    'exponential mechanism, a budget for one attribution',
    {
      ...barelyNoised('exponential'),
      budget: { unit: 'user-publisher', epsilon: epsilon(29.5), cap: 2, attributionEpsilon: epsilon(1.5) },
    },
    { registered: most, also: askedBefore },
  ),
  configured(
    'exponential mechanism, a budget with δ for one attribution',
    {
      ...barelyNoised('exponential'),
      budget: {
        unit: 'user-publisher',
        epsilon: epsilon(29.5),
        delta: probability(0.001),
        cap: 2,
        attributionEpsilon: epsilon(1.5),
      },
    },
    { registered: most, only: ['credits-of-moved-click'] },
  ),
  configured(
    'exponential mechanism, a budget for one attribution and four impressions',
    {
      ...barelyNoised('exponential'),
      budget: { unit: 'user-publisher', epsilon: epsilon(57.5), cap: 4, attributionEpsilon: epsilon(1.5) },
    },
    { registered: most, only: ['credits-after-erasing'] },
  ),
  configured(
    'exponential mechanism, a budget for one attribution among two clicks',
    {
      ...barelyNoised('exponential'),
      budget: { unit: 'user-publisher', epsilon: epsilon(32.5), cap: 2, attributionEpsilon: epsilon(4.5) },
    },
    { registered: most, only: ['credits-of-moved-clicks'] },
  ),
];
