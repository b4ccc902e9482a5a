import {
  adBeforeConversion,
  adBeforeConversionWithContext,
  adBeforeConversionWithDebugData,
  adBeforeConversionWithDebugDataLater,
  adBeforeReportedConversion,
} from './relations/ad-before-conversion';
import {
  clickMoved,
  creditOfMovedClick,
  creditOfPassedClick,
  creditsOfMovedClick,
  creditsOfMovedClicks,
} from './relations/click-moved';
import {
  adBeyondAttributions,
  conversionBeyondAttributions,
  conversionBeyondOrigins,
  conversionBeyondStorage,
  conversionsBeyondAttributions,
} from './relations/beyond-limits';
import { conversion } from './relations/conversion';
import { labelWhenHurried, labelWhileOffline, labelWithClockAhead } from './relations/device-troubles';
import {
  labelsAfterClockAhead,
  labelsAfterErasingWithClockBehind,
  labelsAfterNewOwners,
  labelsAfterNewOwnersOfQuotas,
  labelsAfterNewPeriod,
  labelsAfterNewPeriodWithClockAhead,
  labelsAfterNewPeriodWithClockBehind,
  labelsAfterNewQuotas,
  labelsAfterNewUnit,
} from './relations/full-again';
import {
  creditsAfterErasing,
  creditsAfterNewPeriod,
  creditsAfterNewUnit,
  creditsInTwoPeriods,
} from './relations/credits-after';
import { furtherConversions } from './relations/further-conversions';
import {
  labelsAfterClockAheadOfQuotas,
  labelsAfterErasingOfQuotas,
  labelsAfterNewPeriodOfQuotas,
} from './relations/full-quotas';
import { impression } from './relations/impression';
import { labelBeforeRemoval } from './relations/label-before-removal';
import { labelBesideImpression } from './relations/label-beside-impression';
import { labelBeyondCap } from './relations/label-beyond-cap';
import {
  labelBeforeLaterConversion,
  labelOfImpression,
  labelWithoutEpsilon,
} from './relations/label-of-impression';
import { labelAcrossChangeOfLimits, labelAcrossChangeOfSettings } from './relations/label-across-change';
import { labelBeforeEndOfWindow } from './relations/attribution-window';
import {
  labelBeforeErasing,
  labelBeforeErasingHours,
  labelBeforeErasingSites,
  labelsAfterErasing,
  labelsAfterErasingSites,
} from './relations/labels-after-erasing';
import { labelsAfterChange } from './relations/labels-after-change';
import {
  labelsBeforeNextImpression,
  manyLabelsBeforeNextImpression,
} from './relations/labels-before-next-impression';
import { labelsForAdversary } from './relations/labels-for-adversary';
import { labelBeforeLastOfJoint, labelsOfAdvertiser, labelsOfPage } from './relations/labels-of-site';
import { labelsOfAll } from './relations/labels-of-all';
import { labelsOfUnit } from './relations/labels-of-unit';
import { labelsOnOtherDays } from './relations/labels-on-other-days';
import { orderOfArrival } from './relations/order-of-arrival';
import { conversionsOfOtherAdTech, otherAdTechElsewhere, otherAdTechHere } from './relations/other-ad-techs';
import {
  destinationOfLabelAtAttributionLimit,
  labelAtAttributionLimit,
  labelAtAttributionLimitLater,
  labelAtSecondAttribution,
  labelOfOtherAdTechAtLimit,
  labelOfOtherAdTechAtLimitLater,
  labelWithFullBytes,
  labelWithFullStorage,
  labelWithFullStorageLater,
  labelWithLastBytes,
  labelWithReportsWaiting,
  labelWithTriedReportsWaiting,
  otherAdTechAtLimit,
} from './relations/limits-reached';
import {
  labelBeforeDestinations,
  labelBeforeNoScopes,
  labelBeforeOtherScopes,
  labelBeforeDestinationsOfMinute,
  labelBeforeOriginsOfSite,
  labelBeforeRemovalWithClockBack,
  labelBeforeSourceOrigins,
  labelWithForgottenClaim,
  labelWithForgottenScope,
  labelWithOutrankedClaim,
  labelWithScope,
} from './relations/source-limits';
import { mostConversions } from './relations/most-conversions';
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
  mostConversions,
  labelBesideImpression,
  orderOfArrival,
  labelsOnOtherDays,
  labelsForAdversary,
  labelsAfterChange,
  labelsAfterNewOwners,
  labelsAfterNewOwnersOfQuotas,
  labelsAfterNewPeriod,
  labelsAfterNewPeriodWithClockAhead,
  labelsAfterNewPeriodWithClockBehind,
  labelsAfterErasingWithClockBehind,
  labelsAfterNewQuotas,
  labelsAfterNewUnit,
  labelsAfterClockAheadOfQuotas,
  labelsAfterNewPeriodOfQuotas,
  labelsAfterErasingOfQuotas,
  labelsAfterClockAhead,
  labelsAfterErasing,
  labelsAfterErasingSites,
  labelWithoutEpsilon,
  labelBeforeLaterConversion,
  labelBeforeLastOfJoint,
  labelsOfPage,
  labelsOfAdvertiser,
  labelWhileOffline,
  labelWhenHurried,
  labelWithClockAhead,
  labelBeyondCap,
  labelBeforeRemoval,
  labelAtAttributionLimit,
  labelAtAttributionLimitLater,
  labelAtSecondAttribution,
  labelWithFullStorage,
  labelWithFullStorageLater,
  labelWithFullBytes,
  labelWithLastBytes,
  labelWithReportsWaiting,
  labelOfOtherAdTechAtLimit,
  labelOfOtherAdTechAtLimitLater,
  otherAdTechAtLimit,
  destinationOfLabelAtAttributionLimit,
  labelWithTriedReportsWaiting,
  labelWithForgottenClaim,
  labelWithForgottenScope,
  labelWithOutrankedClaim,
  labelWithScope,
  labelBeforeOtherScopes,
  labelBeforeNoScopes,
  labelBeforeEndOfWindow,
  labelAcrossChangeOfLimits,
  labelAcrossChangeOfSettings,
  labelBeforeErasing,
  labelBeforeErasingSites,
  labelBeforeErasingHours,
  labelBeforeDestinations,
  labelBeforeDestinationsOfMinute,
  labelBeforeSourceOrigins,
  labelBeforeOriginsOfSite,
  labelBeforeRemovalWithClockBack,
  conversionBeyondAttributions,
  conversionsBeyondAttributions,
  conversionBeyondOrigins,
  conversionBeyondStorage,
  adBeyondAttributions,
  otherUnit,
  creditOfMovedClick,
  creditOfPassedClick,
  creditsOfMovedClick,
  creditsOfMovedClicks,
  creditsInTwoPeriods,
  creditsAfterNewPeriod,
  creditsAfterNewUnit,
  creditsAfterErasing,
  adBeforeConversion,
  adBeforeReportedConversion,
  adBeforeConversionWithContext,
  adBeforeConversionWithDebugData,
  adBeforeConversionWithDebugDataLater,
];
