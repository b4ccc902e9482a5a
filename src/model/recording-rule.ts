import type { Json } from './json';

/**
 * Records an impression or a conversion on a site that sends no registration headers. Rules come with the
 * settings, so the reporting origin is the word of whoever configured Cointoss, never of a page.
 */
export interface RecordingRule {
  readonly id: string;
  /** Match patterns (`https://shop.example/thanks*`) of the pages on which the rule looks for elements. */
  readonly matches: readonly string[];
  /** CSS selector of the elements that count; null with `visit`, where the page itself counts. */
  readonly selector: string | null;
  /**
   * `viewable`: at least half the element's pixels in view for one continuous second (a source of type event);
   * `click`: a click by a person (a navigation source); `visit`: the page was opened; `submit`: a form was submitted.
   */
  readonly on: 'viewable' | 'click' | 'visit' | 'submit';
  readonly register: 'source' | 'trigger';
  readonly reportingOrigin: string;
  /** The JSON of the registration; an `$extract` object anywhere in it stands for a value found on the page. */
  readonly registration: Json;
}

/** Where a value of a rule's registration is found, relative to the element that counted (or to the page). */
export interface Extractor {
  /** A descendant of the element to look at instead of the element itself. */
  readonly selector: string | null;
  /** The attribute that holds the value; null takes the text. */
  readonly attribute: string | null;
  /** `integer`: the first number of the text; `money`: the amount in cents; `origin`: of the URL; `text`: as it stands. */
  readonly as: 'text' | 'integer' | 'money' | 'origin';
}
