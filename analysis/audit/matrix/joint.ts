import type { Audited } from '../audit';
import { epsilon } from '../../../src/model/units';
import { afterErasing, quotasFullAgain } from '../chosen';
import { choice, configured, jointly, one, shared, siteNamed } from '../configured';

/** Several ad techs: one budget for all of them, and owners. */
export const ofAll: readonly Audited[] = [
  configured('user, one budget for all ad techs, K = 1', {
    budget: { unit: 'user', epsilon: one, cap: 1, joint: jointly(1) },
  }),
  configured(
    'user, one budget for all ad techs, K = 2',
    { budget: { unit: 'user', epsilon: one, cap: 2, joint: jointly(1) } },
    { only: ['other-ad-tech-here'] },
  ),
  configured(
    'user, one budget for all ad techs, K = 2, label noise with a prior',
    {
      labelNoise: { kind: 'rr-with-prior', prior: [0.9, 0.1] },
      budget: { unit: 'user', epsilon: one, cap: 2, joint: jointly(1) },
    },
    {
      registered: one,
      only: ['label-of-impression', 'labels-of-all', 'other-ad-tech-here', 'conversions-of-other-ad-tech'],
    },
  ),
  configured('user-publisher, one budget for all ad techs, last touch', {
    attribution: { kind: 'last-touch' },
    budget: { unit: 'user-publisher', epsilon: one, cap: 1, joint: { ...jointly(3), sourceSite: one } },
  }),
  configured('user-publisher, one budget for all ad techs, exponential mechanism', {
    attribution: choice('exponential', 'linear'),
    budget: { ...shared, unit: 'user-publisher', joint: jointly(0.5) },
  }),
  configured(
    'impression, one budget for all ad techs, with quotas of half',
    { budget: { epsilon: one, joint: jointly(2, 1) } },
    { also: [...afterErasing, ...quotasFullAgain] },
  ),
  configured(
    'impression, one budget for all ad techs, of which less is registered',
    { budget: { epsilon: one, joint: jointly(1) } },
    { registered: epsilon(0.4), only: ['labels-of-all', 'labels-of-page', 'labels-for-adversary'] },
  ),
  configured(
    'impression, one budget for all ad techs, of two impressions',
    { budget: { epsilon: one, joint: jointly(2) } },
    { only: ['label-before-last-of-joint-budget'] },
  ),
  configured(
    'impression, quotas of half, two ad techs of one owner',
    { budget: { epsilon: one, joint: jointly(2, 1), owners: [['adtech', 'other'].map(siteNamed)] } },
    { only: ['labels-of-all'] },
  ),
  configured('user, two ad techs of one owner, exponential mechanism, K = 1', {
    attribution: choice('exponential', 'linear'),
    budget: { unit: 'user', epsilon: one, cap: 1, owners: [['adtech', 'other'].map(siteNamed)] },
  }),
];
