import type { Audited } from '../audit';
import { epsilon, probability } from '../../../src/model/units';
import { afterErasing, fullAgain, ofArms } from '../chosen';
import { configured, one } from '../configured';

/** Budgets of units. */
export const ofUnits: readonly Audited[] = [
  configured('impression', { budget: { epsilon: one } }),
  configured(
    'user, K = 1',
    { budget: { unit: 'user', epsilon: one, cap: 1 } },
    { also: [...afterErasing, ...fullAgain, ...ofArms] },
  ),
  configured('user, K = 2', { budget: { unit: 'user', epsilon: one, cap: 2 } }),
  configured(
    'user-publisher, K = 1',
    { budget: { unit: 'user-publisher', epsilon: one, cap: 1 } },
    { also: afterErasing },
  ),
  configured(
    'user-publisher, K = 1, of which less is registered',
    { budget: { unit: 'user-publisher', epsilon: one, cap: 1 } },
    { registered: epsilon(0.4), also: afterErasing },
  ),
  configured(
    'user-publisher, K = 2, of which less is registered',
    { budget: { unit: 'user-publisher', epsilon: one, cap: 2 } },
    { registered: epsilon(0.3), only: ['label-beyond-cap'] },
  ),
  // What is left of a budget can be less than one output takes.
  configured(
    'user, without K, of which less is registered',
    { budget: { unit: 'user', epsilon: one, cap: null } },
    { registered: epsilon(0.6), only: ['labels-of-unit', 'labels-for-adversary'] },
  ),
  configured(
    'user, K = 1, with δ',
    { budget: { unit: 'user', epsilon: one, delta: probability(0.1), cap: 1 } },
    { only: ['label-of-impression', 'labels-after-change'] },
  ),
  // By basic composition there would be no room for the sixth.
  configured(
    'user, K = 5, with δ, of which less is registered',
    { budget: { unit: 'user', epsilon: one, delta: probability(0.1), cap: 5 } },
    { registered: epsilon(0.17), only: ['labels-after-change'] },
  ),
  configured('user-advertiser, K = 1', { budget: { unit: 'user-advertiser', epsilon: one, cap: 1 } }),
  configured(
    'user-advertiser, K = 2',
    { budget: { unit: 'user-advertiser', epsilon: one, cap: 2 } },
    { also: ofArms },
  ),
];
