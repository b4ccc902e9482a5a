import { adBeforeConversion, adBeforeConversionWithContext } from './relations/ad-before-conversion';
import {
  clickMoved,
  creditOfMovedClick,
  creditOfPassedClick,
  creditsOfMovedClick,
} from './relations/click-moved';
import { conversion } from './relations/conversion';
import { furtherConversions } from './relations/further-conversions';
import { impression } from './relations/impression';
import { labelBeforeRemoval } from './relations/label-before-removal';
import { labelBesideImpression } from './relations/label-beside-impression';
import { labelBeyondCap } from './relations/label-beyond-cap';
import { labelOfImpression } from './relations/label-of-impression';
import { labelsAfterChange } from './relations/labels-after-change';
import {
  labelsBeforeNextImpression,
  manyLabelsBeforeNextImpression,
} from './relations/labels-before-next-impression';
import { labelsForAdversary } from './relations/labels-for-adversary';
import { labelsOfAll } from './relations/labels-of-all';
import { labelsOfUnit } from './relations/labels-of-unit';
import { labelsOnOtherDays } from './relations/labels-on-other-days';
import { orderOfArrival } from './relations/order-of-arrival';
import { conversionsOfOtherAdTech, otherAdTechElsewhere, otherAdTechHere } from './relations/other-ad-techs';
import {
  labelAtAttributionLimit,
  labelAtAttributionLimitLater,
  labelOfOtherAdTechAtLimit,
  labelOfOtherAdTechAtLimitLater,
  labelWithFullStorage,
  labelWithReportsWaiting,
  otherAdTechAtLimit,
} from './relations/limits-reached';
import { otherUnit } from './relations/other-unit';
import { windowOfConversion } from './relations/window-of-conversion';
import type { Relation } from './relation';

/** What pages list, each with what the settings promise. */
export const promisedRelations = {
  'label-of-impression': labelOfImpression,
  'labels-of-unit': labelsOfUnit,
  'labels-before-next-impression': labelsBeforeNextImpression,
  conversion,
  'click-moved': clickMoved,
  'other-ad-tech-elsewhere': otherAdTechElsewhere,
  'other-ad-tech-here': otherAdTechHere,
  'conversions-of-other-ad-tech': conversionsOfOtherAdTech,
  'labels-of-all': labelsOfAll,
  impression,
} as const satisfies Readonly<Record<string, Relation>>;

export type PromisedRelation = keyof typeof promisedRelations;

/** All that the audit tries. */
export const relations: readonly Relation[] = [
  ...Object.values(promisedRelations),
  manyLabelsBeforeNextImpression,
  windowOfConversion,
  furtherConversions,
  labelBesideImpression,
  orderOfArrival,
  labelsOnOtherDays,
  labelsForAdversary,
  labelsAfterChange,
  labelBeyondCap,
  labelBeforeRemoval,
  labelAtAttributionLimit,
  labelAtAttributionLimitLater,
  labelWithFullStorage,
  labelWithReportsWaiting,
  labelOfOtherAdTechAtLimit,
  labelOfOtherAdTechAtLimitLater,
  otherAdTechAtLimit,
  otherUnit,
  creditOfMovedClick,
  creditOfPassedClick,
  creditsOfMovedClick,
  adBeforeConversion,
  adBeforeConversionWithContext,
];
