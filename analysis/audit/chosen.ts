/** Worlds with more sources have too many outputs if each source has several states. */
export const ofOneSource = [
  'label-of-impression',
  'window-of-conversion',
  'further-conversions',
  'most-conversions',
  'label-before-removal',
  'label-at-attribution-limit',
  'label-at-attribution-limit-later',
  'label-with-reports-waiting',
] as const;

export const ofOneImpression = [
  'label-of-impression',
  'window-of-conversion',
  'further-conversions',
  'most-conversions',
] as const;
export const inTrouble = ['label-while-offline', 'label-when-hurried', 'label-with-clock-ahead'] as const;
export const whenKilled = ['order-of-arrival', 'label-before-erasing', 'labels-for-adversary'] as const;
export const afterErasing = ['labels-after-erasing', 'labels-after-erasing-sites'] as const;
export const beforeErasing = [
  'label-before-erasing',
  'label-before-erasing-sites',
  'label-before-erasing-hours',
] as const;
export const atSourceLimits = [
  'label-with-forgotten-claim',
  'label-with-outranked-claim',
  'label-with-forgotten-scope',
  'label-with-scope',
  'label-before-other-scopes',
  'label-before-no-scopes',
  'label-before-destinations-of-day',
  'label-before-destinations-of-minute',
  'label-before-source-origins',
  'label-before-origins-of-site',
  'label-before-removal-with-clock-back',
  'label-before-end-of-attribution-window',
  'label-across-change-of-limits',
  'label-with-full-storage-later',
  'label-with-full-bytes',
  'label-with-last-bytes',
] as const;
export const beyondLimits = [
  'conversion-beyond-attributions',
  'conversions-beyond-attributions',
  'conversion-beyond-origins',
  'conversion-beyond-storage',
  'ad-beyond-attributions',
] as const;
/** Events that must not give a unit a full budget again. */
export const fullAgain = [
  'labels-after-new-owners',
  'labels-after-new-period',
  'labels-after-new-period-with-clock-ahead',
  'labels-after-new-period-with-clock-behind',
  'labels-after-erasing-with-clock-behind',
  'labels-after-new-unit',
  'labels-after-clock-ahead',
] as const;
/** Events that must not make a quota of the joint budget full again. */
export const quotasFullAgain = [
  'labels-after-new-quotas',
  'labels-after-new-owners-of-quotas',
  'labels-after-clock-ahead-of-quotas',
  'labels-after-new-period-of-quotas',
  'labels-after-erasing-of-quotas',
] as const;
/** What attribution has spent must go on counting. */
export const askedBefore = [
  'credits-of-moved-clicks',
  'credits-in-two-periods',
  'credits-after-new-period',
  'credits-after-new-unit',
] as const;
/** What lift tests tell of an arm. */
export const ofArms = [
  'arm-of-campaign',
  'arm-of-campaign-of-two-ads',
  'arm-of-campaign-of-three-ads',
  'arm-that-drops-conversions',
] as const;
