import type { Beginning } from '../../../extension/background/observe/beginnings';
import type { MarkedEligibility } from '../../../extension/background/documents/marks';
import type { DecidedClick } from '../../../extension/background/documents/navigations';
import type { Gesture } from '../../../extension/content/gestures';
import type { RequestEligibility } from '../../../extension/eligibility-mark';
import type { Unknown } from '../../../recording/places';
import type { Decided, StoredResponse } from '../../../recording/requests';

/** What may be unknown of a page and its policies, and what this is about. */
export type PlaceUnknown = `place ${Unknown}`;

/** What may be unknown of a request or a click: its first URL, who wrote its mark, whether an element declared it, a person pressed, it was followed. */
export type RequestUnknown =
  | `beginning ${Exclude<Beginning, { kind: 'known' }>['kind']}`
  | `mark ${Exclude<MarkedEligibility, RequestEligibility>}`
  | `declaration ${Exclude<StoredResponse['decided'], Decided>}`
  | `gesture ${Exclude<Gesture, { kind: 'press' }>['kind']}`
  | `click ${Exclude<DecidedClick, { kind: 'followed' }>['kind']}`;

/**
 * All that is not known yet when something asks to register. The races of unit tests and of browsers are records by these names, so a value that
 * is added to one of the types does not compile without its races.
 */
export type NotKnownYet = PlaceUnknown | RequestUnknown;
