import type { Origin } from '../../../src/model/units';
import type { Eligibility } from '../../../recording/eligibility';
import type { Asked } from '../state/asked';
import type { NavigationId } from '../documents/navigations';

/** A request to make, and the page it is for. */
export type OwnRequest = ForElement | ForClick;

interface ForElement extends Asking {
  readonly eligibility: Exclude<Eligibility, 'navigation-source'>;
  readonly navigation?: undefined;
  /** The document that asks. */
  readonly documentId?: string;
}

/** The navigation must have begun: there is no other `NavigationId`. */
interface ForClick extends Asking {
  readonly eligibility: 'navigation-source';
  readonly navigation: NavigationId;
}

interface Asking {
  readonly contextOrigin: Origin;
  /** The document that asks, and those around it out to the page: their URLs or origins. */
  readonly makers: readonly string[];
  /** The tab of the page. */
  readonly tabId: number;
  readonly asked: Asked;
}
