import type { Json } from '../src/model/json';

/**
 * Records a source or a trigger on a site that sends no registration headers. Rules are part of the settings: whoever configured Cointoss
 * sets the reporting origin, never a page.
 */
export interface RecordingRule {
  readonly id: string;
  /** Match patterns (`https://shop.example/thanks*`) of the pages on which the rule applies. */
  readonly matches: readonly string[];
  /** CSS selector of the elements that count; null with `visit`, which counts the page. */
  readonly selector: string | null;
  /**
   * `viewable`: half the element's pixels in view for one continuous second (an event source); `click`: a person's click (a
   * navigation source); `visit`: the page was opened; `submit`: a form was submitted.
   */
  readonly on: 'viewable' | 'click' | 'visit' | 'submit';
  readonly register: 'source' | 'trigger';
  readonly reportingOrigin: string;
  /** The registration's JSON; an `$extract` object anywhere in it stands for a value from the page. */
  readonly registration: Json;
}

/** Where to find a value, relative to the element that counted or to the page. */
export interface Extractor {
  /** Looks at this descendant instead of the element. */
  readonly selector: string | null;
  /** The attribute that holds the value; null: the text. */
  readonly attribute: string | null;
  /** `integer`: the first number of the text; `money`: the amount in cents; `origin`: of the URL; `text`: unchanged. */
  readonly as: 'text' | 'integer' | 'money' | 'origin';
}
