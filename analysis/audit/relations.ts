import { adsBeforeConversions } from './relations/ad-before-conversion';
import { armsOfCampaigns } from './relations/arm-of-campaign';
import { beyondLimits } from './relations/beyond-limits';
import { clickMoved, credits } from './relations/click-moved';
import { creditsAfterwards } from './relations/credits-after';
import { deviceTroubles } from './relations/device-troubles';
import { budgetsFullAgain } from './relations/full-again';
import { quotasFullAgain } from './relations/full-quotas';
import { acrossChanges } from './relations/label-across-change';
import { labelOfImpression, labelsOfOneImpression } from './relations/label-of-impression';
import { erasings } from './relations/labels-after-erasing';
import { labelsOfSites } from './relations/labels-of-site';
import {
  conversion,
  impression,
  labelsBeforeNextImpression,
  labelsOfAll,
  labelsOfOneUnit,
  labelsOfUnit,
} from './relations/labels-of-unit';
import { limitsReached } from './relations/limits-reached';
import { conversionsOfOtherAdTech, otherAdTechElsewhere, otherAdTechHere } from './relations/other-ad-techs';
import { sourceLimits } from './relations/source-limits';
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
  ...labelsOfOneImpression,
  ...labelsOfOneUnit,
  ...budgetsFullAgain,
  ...quotasFullAgain,
  ...erasings,
  ...labelsOfSites,
  ...deviceTroubles,
  ...limitsReached,
  ...sourceLimits,
  ...acrossChanges,
  ...beyondLimits,
  ...credits,
  ...creditsAfterwards,
  ...adsBeforeConversions,
  ...armsOfCampaigns,
];
