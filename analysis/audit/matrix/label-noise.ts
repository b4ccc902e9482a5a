import type { Audited } from '../audit';
import { defaultSettings } from '../../../formats/settings/settings';
import { epsilon } from '../../../src/model/units';
import { beforeErasing, inTrouble, ofOneSource } from '../chosen';
import { bins, configured, one, prior } from '../configured';
import { values } from '../shapes';

/** Other label noise than randomized response over all states, private priors, and bins. */
export const ofLabelNoise: readonly Audited[] = [
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
    {
      shape: bins,
      also: [
        ...inTrouble,
        ...beforeErasing,
        'label-across-change-of-settings',
        'label-before-later-conversion',
      ],
    },
  ),
  // With three values, two impressions take a hundred times as long.
  configured(
    'unbiased label noise of two values',
    { labelNoise: { kind: 'unbiased', values: [0, 3], prior: [0.7, 0.3] } },
    { shape: values([3]), only: ['label-before-later-conversion'] },
  ),
  configured(
    'unbiased label noise of values that no source has',
    { labelNoise: { kind: 'unbiased', ...prior } },
    { only: ['label-of-impression'] },
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
];
