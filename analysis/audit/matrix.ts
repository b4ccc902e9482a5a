import { defaultSettings } from '../../formats/settings/settings';
import { epsilon } from '../../src/model/units';
import type { Audited } from './audit';
import {
  afterErasing,
  atSourceLimits,
  beforeErasing,
  beyondLimits,
  fullAgain,
  inTrouble,
  ofOneImpression,
  ofOneSource,
} from './chosen';
import {
  click,
  data,
  eightData,
  flexible,
  severalSpecs,
  threeData,
  threeWindows,
  usualClick,
  windows,
} from './shapes';
import {
  barelyNoised,
  bins,
  choice,
  configured,
  failures,
  jointly,
  most,
  one,
  prior,
  shared,
  siteNamed,
} from './configured';

/** The configurations that `cointoss audit` tries, and continuous integration with it. */
export const matrix: readonly Audited[] = [
  configured(
    'no budget',
    {},
    {
      also: [...inTrouble, ...atSourceLimits, ...beforeErasing, 'destination-of-label-at-attribution-limit'],
    },
  ),
  configured('clicks', {}, { shape: click }),
  configured('clicks with two windows', {}, { shape: windows }),
  configured('clicks with two trigger data', {}, { shape: data }),
  configured(
    'sums of values in two windows',
    {},
    { shape: flexible, only: [...ofOneSource, 'labels-for-adversary'] },
  ),
  configured('clicks with three windows', {}, { shape: threeWindows, only: ofOneImpression }),
  configured('clicks with three trigger data', {}, { shape: threeData, only: ofOneImpression }),
  configured(
    'clicks with eight trigger data',
    {},
    { shape: eightData, only: [...ofOneImpression, 'label-when-hurried'] },
  ),
  configured(
    'clicks that say nothing of reports',
    {},
    { shape: usualClick, only: ['further-conversions', 'most-conversions'] },
  ),
  configured(
    'sums and numbers of conversions',
    {},
    { shape: severalSpecs, only: [...ofOneImpression, 'label-before-removal'] },
  ),
  configured(
    'servers that fail first',
    {},
    { answers: [503, 503, 503], also: [...inTrouble, 'label-with-tried-reports-waiting'] },
  ),
  configured('servers that always fail', {}, { answers: failures, only: ['label-of-impression'] }),
  configured(
    'servers that do not answer first, tried as Chrome does',
    { deliveryProfile: 'chrome' },
    { answers: ['silence', 'silence'], only: [...ofOneImpression, 'order-of-arrival', ...inTrouble] },
  ),
  configured(
    'truthful sources',
    {
      aggregatableReports: true,
      debug: { ...defaultSettings.debug, enabled: true, noise: false },
    },
    { only: beyondLimits },
  ),
  configured('impression', { budget: { epsilon: one } }),
  configured(
    'user, K = 1',
    { budget: { unit: 'user', epsilon: one, cap: 1 } },
    { also: [...afterErasing, ...fullAgain] },
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
  // What is left of a budget can be less than one output takes.
  configured(
    'user, without K, of which less is registered',
    { budget: { unit: 'user', epsilon: one, cap: null } },
    { registered: epsilon(0.6), only: ['labels-of-unit', 'labels-for-adversary'] },
  ),
  configured('user-advertiser, K = 1', { budget: { unit: 'user-advertiser', epsilon: one, cap: 1 } }),
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
    { registered: most, also: ['credits-of-moved-clicks'] },
  ),
  configured(
    'exponential mechanism, a budget for one attribution among two clicks',
    {
      ...barelyNoised('exponential'),
      budget: { unit: 'user-publisher', epsilon: epsilon(32.5), cap: 2, attributionEpsilon: epsilon(4.5) },
    },
    { registered: most, only: ['credits-of-moved-clicks'] },
  ),
  configured(
    'user, label noise with a prior',
    {
      labelNoise: { kind: 'rr-with-prior', prior: [0.9, 0.1] },
      budget: { unit: 'user', epsilon: epsilon(8), cap: 2 },
    },
    { registered: epsilon(4) },
  ),
  configured(
    'label noise with a prior of three states',
    { labelNoise: { kind: 'rr-with-prior', prior: prior.prior } },
    { shape: bins },
  ),
  configured('user, one budget for all ad techs, K = 1', {
    budget: { unit: 'user', epsilon: one, cap: 1, joint: jointly(1) },
  }),
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
    { also: [...afterErasing, 'labels-after-new-quotas'] },
  ),
  configured(
    'impression, one budget for all ad techs, of which less is registered',
    { budget: { epsilon: one, joint: jointly(1) } },
    { registered: epsilon(0.4), only: ['labels-of-all', 'labels-of-page', 'labels-for-adversary'] },
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
  configured(
    'user, randomized response on bins of the value',
    { budget: { unit: 'user', epsilon: one, cap: 2 } },
    { shape: bins, only: [...ofOneSource, 'labels-of-unit', 'conversion', 'labels-after-change'] },
  ),
  configured(
    'label noise on bins',
    { labelNoise: { kind: 'rr-on-bins', loss: 'squared', ...prior } },
    { shape: bins },
  ),
  configured(
    'unbiased label noise',
    { labelNoise: { kind: 'unbiased', ...prior } },
    { shape: bins, also: [...inTrouble, ...beforeErasing] },
  ),
  configured(
    'unbiased label noise without delay',
    {
      labelNoise: { kind: 'unbiased', ...prior },
      debug: { ...defaultSettings.debug, enabled: true, delay: false },
    },
    { shape: bins, only: ['label-of-impression', 'further-conversions'] },
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
  configured(
    'label noise on bins, a private prior from other people',
    { labelNoise: { kind: 'rr-on-bins', loss: 'squared', ...prior } },
    { shape: bins, prior: { epsilon: epsilon(0.5), split: 'people' }, only: [...ofOneSource, 'past-value'] },
  ),
  configured(
    'unbiased label noise, a private prior out of its budget',
    { labelNoise: { kind: 'unbiased', ...prior }, budget: { epsilon: epsilon(3) } },
    {
      shape: bins,
      registered: epsilon(3),
      prior: { epsilon: one, split: 'budget' },
      only: ['label-of-impression', 'past-value'],
    },
  ),
  configured(
    'aggregatable reports',
    { aggregatableReports: true },
    {
      only: [
        'label-of-impression',
        'label-at-attribution-limit',
        'label-of-other-ad-tech-at-limit',
        'ad-before-conversion',
        'ad-before-conversion-with-context',
      ],
    },
  ),
  configured(
    'limits of the specification',
    { limits: 'specification' },
    {
      only: ['label-at-attribution-limit', 'label-with-full-storage', 'label-of-impression'],
    },
  ),
  configured('debug reports', {}, { debugAllowed: true, only: ['label-of-impression'] }),
];
