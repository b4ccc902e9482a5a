import type { Audited } from '../audit';
import { defaultSettings } from '../../../formats/settings/settings';
import {
  afterErasing,
  atSourceLimits,
  beforeErasing,
  beyondLimits,
  inTrouble,
  ofOneImpression,
  ofOneSource,
  whenKilled,
} from '../chosen';
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
} from '../shapes';
import { bins, configured, failures, jointly, one, prior } from '../configured';

/** Without a budget: what sources can report, how servers answer, and which limits and settings hold. */
export const ofReports: readonly Audited[] = [
  configured(
    'no budget',
    {},
    {
      also: [
        ...inTrouble,
        ...atSourceLimits,
        ...beforeErasing,
        'destination-of-label-at-attribution-limit',
        'label-without-epsilon',
        'label-across-change-of-settings',
        'label-before-later-conversion',
      ],
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
    {
      answers: [503, 503, 503],
      also: [...inTrouble, 'label-with-tried-reports-waiting', 'label-at-second-attribution'],
    },
  ),
  configured(
    'a process that is killed in each transaction',
    { budget: { epsilon: one, joint: jointly(2, 1) } },
    {
      isDying: true,
      only: [...ofOneImpression, ...whenKilled, ...afterErasing, 'label-at-attribution-limit-later'],
    },
  ),
  configured(
    'a process that is killed in each transaction, unbiased label noise',
    { labelNoise: { kind: 'unbiased', ...prior } },
    { shape: bins, isDying: true, only: [...ofOneImpression, 'label-before-erasing'] },
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
  configured(
    'aggregatable reports',
    { aggregatableReports: true },
    {
      only: [
        'label-of-impression',
        'label-at-attribution-limit',
        'label-of-other-ad-tech-at-limit',
        'ad-before-conversion',
        'ad-before-reported-conversion',
        'ad-before-report-of-its-day',
        'ad-before-conversion-with-context',
        'ad-before-conversion-with-debug-data',
        'ad-before-conversion-with-debug-data-later',
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
