import type { AttributionMethod } from '../messages';

/*
 * How the script in the page's own world (w3c-page.ts) passes calls to the one in the isolated world (w3c.ts), and gets answers. As with
 * announcement.ts, the page can forge and read all of this. It gains nothing that it could not get by calling the API itself: the background
 * takes the page, its policies and its activation from the browser.
 */

/** Carries an `AttributionCall` as a JSON string in `detail`. */
export const callEvent = 'cointoss:attribution-call';

/** Carries the number of a call and its answer as a JSON string in `detail`. */
export const answerEvent = 'cointoss:attribution-answer';

export interface AttributionCall {
  readonly id: number;
  readonly call: AttributionMethod;
  /** JSON; null: longer than any that are valid. */
  readonly options: string | null;
}
